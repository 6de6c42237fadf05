// SPDX-License-Identifier: MIT
// Creates the JSON objects of runs and series.
#include "app/output/summary/summary.h"
#include "raytracer/results/incident_light.h"
#include "raytracer/results/light_warnings.h"
#include "raytracer/results/result_columns.h"
#include "raytracer/results/series/series_energy.h"
#include "scenario/files/columns_json.h"

#include <nlohmann/json.hpp>

namespace helioray {

namespace {

/// Adds the members that runs and series share: outcome, times, device and file. `Run` is RunResult
/// or SeriesResult.
template <typename Run>
nlohmann::json run_json(const Run& run, const OutputFiles& files) {
    using nlohmann::json;
    const Provenance& p = run.provenance;
    return {
        {"fingerprint", p.fingerprint},
        {"rays", p.rays},
        {"rays_per_second", run.rays_per_second},
        {"trace_seconds", run.trace_seconds},
        {"total_seconds", run.total_seconds},
        {"peak_rss_mb", run.peak_rss_mb},
        {"world_size", p.world_size},
        {"backend", p.backend},
        {"device", p.device},
        {"instruction_set", p.instruction_set.empty() ? json(nullptr) : json(p.instruction_set)},
        {"launcher", p.launcher},
        {"output", files.result ? json(files.result->string()) : json(nullptr)},
        {"targets", json::object()},
        {"energy", json::object()},
    };
}

}  // namespace

nlohmann::json summary_json(const RunResult& result, const OutputFiles& files) {
    nlohmann::json out = run_json(result, files);
    out["warnings"] = result_warnings(result);
    out["rays_done_before"] = result.rays_done_before;
    if (result.accuracy) {
        out["rays_per_heliostat"] = result.accuracy->rays_per_heliostat;
        out["relative_error_reached"] = result.accuracy->reached;
    }
    for (const TargetResult& target : result.targets) {
        nlohmann::json& own = out["targets"][target.target.name] =
            json_of(target, target_columns());
        if (target.incident) own.update(json_of(*target.incident, incident_columns()));
    }
    const EnergyTerms energy = total_energy(result);
    for (const ReceiverResult& receiver : receiver_results(result))
        out["receivers"][receiver.name] = json_of(receiver, receiver_columns());
    if (has_reflection(result))
        for (const ReceiverResult& receiver : receiver_results(result))
            out["receivers"][receiver.name].update(json_of(receiver, incident_receiver_columns()));
    for (const EnergyTermInfo& term : energy_terms_of(result)) {
        out["energy"][term.name] = energy.*term.member;
    }
    return out;
}

nlohmann::json series_json(const SeriesResult& series, const OutputFiles& files) {
    using nlohmann::json;
    json out = run_json(series, files);
    out["warnings"] = light_warnings(series);
    out["num_steps"] = series.steps.size();
    out["steps_done_before"] = series.steps_done_before;
    out["series"] = json_columns(series.steps, step_columns());
    out["days"] = json::array();
    if (const auto durations = series_durations(series)) {
        for (const SeriesDay& day : durations->days) {
            const SeriesEnergy energy = energy_on_targets(series, *durations, day);
            out["days"].push_back({{"first_step", day.first},
                                   {"last_step", day.end - 1},
                                   {"energy_j", energy.value},
                                   {"energy_std_error_j", energy.std_error},
                                   {"energy_step_error_j", energy.step_error}});
        }
    }
    for (const SeriesTarget& target : series.targets) {
        out["targets"][target.name] = json_of(target, series_target_columns());
    }
    for (std::size_t i = 0; i < series.steps.size(); ++i) {
        const EnergyTerms energy = series.field_energy(i);
        for (const EnergyTermInfo& term : energy_terms_of(series))
            out["energy"][term.name].push_back(energy.*term.member);
    }
    return out;
}

}  // namespace helioray
