// SPDX-License-Identifier: MIT
// Creates the JSON objects of runs and series.
#include "app/output/summary/summary.h"
#include "raytracer/results/light_warnings.h"

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

/// Returns the power and flux on a target: numbers for a single run (TargetResult), arrays for a
/// series (SeriesTarget).
template <typename Target>
nlohmann::json received_json(const Target& target) {
    return {
        {"power_w", target.power_w},
        {"power_std_error_w", target.power_std_error_w},
        {"peak_flux_w_m2", target.peak_flux_w_m2},
        {"peak_flux_std_error_w_m2", target.peak_flux_std_error_w_m2},
        {"peak_area_m2", target.peak_area_m2},
        {"peak_pixel_w_m2", target.peak_pixel_w_m2},
        {"centroid_m", target.centroid_m},
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
        out["targets"][target.target.name] = received_json(target);
    }
    const EnergyTerms energy = total_energy(result);
    for (const EnergyTermInfo& term : energy_term_infos()) {
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
    json& steps = out["series"] = json::object();
    for (const SeriesStep& step : series.steps) {
        steps["time"].push_back(step.time);
        steps["azimuth_deg"].push_back(step.azimuth_deg);
        steps["elevation_deg"].push_back(step.elevation_deg);
        steps["dni_w_m2"].push_back(step.dni_w_m2);
        steps["sun_direction"].push_back(step.sun_direction);
        steps["rays"].push_back(step.rays);
        steps["fingerprint"].push_back(step.fingerprint);
        steps["trace_seconds"].push_back(step.trace_seconds);
    }
    for (const SeriesTarget& target : series.targets) {
        out["targets"][target.name] = received_json(target);
    }
    for (std::size_t i = 0; i < series.steps.size(); ++i) {
        const EnergyTerms energy = series.field_energy(i);
        for (const EnergyTermInfo& term : energy_term_infos())
            out["energy"][term.name].push_back(energy.*term.member);
    }
    return out;
}

}  // namespace helioray
