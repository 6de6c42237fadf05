// SPDX-License-Identifier: MIT
// The JSON object of a run.
#include "raytracer/output/summary.h"

#include <nlohmann/json.hpp>

namespace helioray {

nlohmann::json summary_json(const RunResult& result, const OutputFiles& files) {
    using nlohmann::json;
    const Provenance& p = result.provenance;
    json out{
        {"fingerprint", p.fingerprint},
        {"rays", p.rays},
        {"rays_per_second", result.rays_per_second},
        {"trace_seconds", result.trace_seconds},
        {"total_seconds", result.total_seconds},
        {"peak_rss_mb", result.peak_rss_mb},
        {"world_size", p.world_size},
        {"backend", p.backend},
        {"device", p.device},
        {"launcher", p.launcher},
        {"output", files.result ? json(files.result->string()) : json(nullptr)},
        {"targets", json::object()},
        {"energy", json::object()},
    };
    if (result.accuracy) {
        out["rays_per_heliostat"] = result.accuracy->rays_per_heliostat;
        out["relative_error_reached"] = result.accuracy->reached;
    }
    for (const TargetResult& target : result.targets) {
        out["targets"][target.target.name] = {
            {"power_w", target.power_w},
            {"power_std_error_w", target.power_std_error_w},
            {"peak_flux_w_m2", target.peak_flux_w_m2},
            {"centroid_m", target.centroid_m},
        };
    }
    const EnergyTerms energy = total_energy(result);
    for (const EnergyTermInfo& term : energy_term_infos()) {
        out["energy"][term.name] = energy.*term.member;
    }
    return out;
}

}  // namespace helioray
