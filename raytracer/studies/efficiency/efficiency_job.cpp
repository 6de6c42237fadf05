// SPDX-License-Identifier: MIT
// Prepares the run of a table, and writes its result.
#include "raytracer/studies/efficiency/efficiency_job.h"

#include "raytracer/studies/efficiency/efficiency_file.h"
#include "raytracer/studies/efficiency/sky_coverage.h"

#include <string>
#include <utility>

namespace helioray {

EfficiencyOptions efficiency_options(const std::optional<EfficiencyGrid>& grid,
                                     const YearPositions& year,
                                     const std::optional<std::vector<double>>& azimuths,
                                     const std::optional<std::vector<double>>& elevations,
                                     bool has_checks) {
    EfficiencyOptions options;
    options.has_checks = has_checks;
    if (grid == EfficiencyGrid::year) options.year = year;
    if (grid == EfficiencyGrid::solarpilot) options.suns = solarpilot_rectangle();
    if (!azimuths && !elevations) return options;
    const SunRectangle usual = default_rectangle(options.year);
    options.suns.emplace(azimuths.value_or(usual.azimuths()),
                         elevations.value_or(usual.elevations()));
    return options;
}

run::PreparedRun EfficiencyJob::prepare(DraftRunConfig draft, run::PrepareOptions how) {
    how.parks_unreachable = true;
    const auto warn = [&](const std::string& warning) {
        if (!warning.empty()) write(how.log, run::LogLevel::warning, warning);
    };
    // If the configuration is faulty, preparing it reports all problems.
    if (draft.problems.empty()) {
        warn(aiming_warning(draft.config));
        plan_ = plan_efficiency(options_, draft.config);
        warn(coverage_warning(plan_->suns, plan_->latitude));
        how.num_checks = plan_->num_checks();
        draft.config.output.file = output_;
    }
    return run::prepare(std::move(draft), how);
}

std::optional<EfficiencyTable> EfficiencyJob::run(run::Session& session) const {
    std::optional<EfficiencyTable> table = trace_efficiency(session, *plan_);
    if (!table) return std::nullopt;
    session.check_stop();
    write_efficiency(*table, session.prepared().output);
    session.prepared().remove_parts();
    for (const std::string& warning : light_warnings(*table))
        write(session.options().log, run::LogLevel::warning, warning);
    return table;
}

}  // namespace helioray
