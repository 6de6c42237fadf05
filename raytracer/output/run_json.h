// SPDX-License-Identifier: MIT
// The part of `--json` that single runs and series have in common. Internal to both.
#pragma once

#include "raytracer/output/summary.h"

#include <nlohmann/json.hpp>

namespace helioray {

/// Where, how long and with which outcome a run was done, and which file holds it. `Run` has
/// provenance, times, rays per second and memory (RunResult, SeriesResult).
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

/// What a target received: numbers of a single run (TargetResult), arrays of a series
/// (SeriesTarget).
template <typename Target>
nlohmann::json received_json(const Target& target) {
    return {
        {"power_w", target.power_w},
        {"power_std_error_w", target.power_std_error_w},
        {"peak_flux_w_m2", target.peak_flux_w_m2},
        {"centroid_m", target.centroid_m},
    };
}

}  // namespace helioray
