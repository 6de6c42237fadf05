// SPDX-License-Identifier: MIT
// Prepares a run that chooses aim points, and writes its files.
#include "raytracer/solvers/aiming/aim_job.h"

#include "raytracer/run/clock.h"
#include "raytracer/solvers/aiming/aim_field.h"
#include "raytracer/solvers/aiming/aim_file.h"

#include <utility>

namespace helioray::aiming {

const AimingResult& ChosenAims::shown() const {
    return series() ? series()->shown : std::get<AimingResult>(found);
}

std::string ChosenAims::violation() const {
    return series() ? series()->violation() : shown().violation;
}

void ChosenAims::write_table(const std::filesystem::path& path) const {
    std::visit([&](const auto& aims) { write_aims(aims, config, *scenario, path); }, found);
}

run::PreparedRun AimJob::prepare(DraftRunConfig draft, run::PrepareOptions how) const {
    std::vector<OutputFile> outputs;
    for (const std::filesystem::path& file : {files_.table, files_.result})
        if (!file.empty()) outputs.push_back({file});
    for (const std::filesystem::path& file : files_.others) outputs.push_back({file});
    if (!outputs.empty()) check_aim_outputs(outputs, draft.config);
    // If the configuration is faulty, preparing it reports all problems.
    if (draft.problems.empty()) {
        draft.config.output = {};
        // Finished steps are stored beside this file.
        if (draft.config.sun.series) draft.config.output.file = files_.table;
    }
    how.chooses_aims = true;
    run::PreparedRun prepared = run::prepare(std::move(draft), how);
    check_aim_series(prepared);
    return prepared;
}

std::optional<ChosenAims> AimJob::run(
    run::Session& session, const std::function<void(const ChosenAims&)>& write_others) const {
    run::PreparedRun& prepared = session.prepared();
    const auto begin = Clock::now();
    std::optional<ChosenAims> chosen;
    const auto keep = [&](auto found) {
        if (found) chosen = ChosenAims{std::move(*found), prepared.config, prepared.scenario, 0.0};
    };
    if (prepared.is_series()) {
        keep(aim_series(session));
    } else {
        keep(aim_field(session));
    }
    session.check_stop();
    if (!chosen) return std::nullopt;
    chosen->seconds = seconds_since(begin);
    if (!files_.table.empty()) chosen->write_table(files_.table);
    if (!files_.result.empty()) {
        if (const AimSeries* series = chosen->series()) {
            write_aimed_series(*series, prepared, files_.result);
        } else {
            write_aiming_result(chosen->shown(), *prepared.scenario, files_.result);
        }
    }
    if (write_others) write_others(*chosen);
    prepared.remove_parts();
    return chosen;
}

}  // namespace helioray::aiming
