// SPDX-License-Identifier: MIT
// The JSON object of a run.
#include "raytracer/output/run_json.h"

namespace helioray {

nlohmann::json summary_json(const RunResult& result, const OutputFiles& files) {
    nlohmann::json out = run_json(result, files);
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

}  // namespace helioray
