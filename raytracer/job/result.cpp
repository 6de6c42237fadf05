// SPDX-License-Identifier: MIT
// The list of energy terms.
#include "raytracer/job/result.h"

#include "scenario/files/number_text.h"
#include "scenario/run_config.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace helioray {

const std::vector<EnergyTermInfo>& energy_term_infos() {
    static const std::vector<EnergyTermInfo> infos{
        {"solar_power",
         "Power that the mirror area would receive if it faced the sun: direct normal irradiance "
         "times mirror area.",
         &EnergyTerms::solar_power},
        {"cosine_loss",
         "Power not received because the mirror is tilted against the direction to the sun.",
         &EnergyTerms::cosine_loss},
        {"shading_loss",
         "Power that another mirror or an obstacle intercepts on its way from the sun to the "
         "mirror.",
         &EnergyTerms::shading_loss},
        {"reflection_loss",
         "Power that the mirror does not reflect: 1 - reflectivity of what reaches it.",
         &EnergyTerms::reflection_loss},
        {"blocking_loss",
         "Reflected power that another mirror or an obstacle intercepts on its way to the target.",
         &EnergyTerms::blocking_loss},
        {"attenuation_loss",
         "Reflected power that the air absorbs or scatters between mirror and target.",
         &EnergyTerms::attenuation_loss},
        {"spillage_loss",
         "Power that arrives at the target's distance but passes beside its lit surface.",
         &EnergyTerms::spillage_loss},
        {"target_power",
         "Power incident on the lit surface of the heliostat's target.",
         &EnergyTerms::target_power},
    };
    return infos;
}

std::optional<std::string> accuracy_warning(const RunResult& result) {
    if (!result.accuracy || result.accuracy->is_reached()) return std::nullopt;
    const AccuracyReport& a = *result.accuracy;
    // Independent rays: four times as many for half the error. Sobol sequences need fewer.
    const double factor = std::pow(a.reached / a.wanted, 2);
    return fmt::format(
        "after all {} rays per heliostat the power of target '{}' has a standard error of {}, not "
        "the wanted {}; set tracing.rays_per_heliostat to {:.1e} or accept a larger "
        "tracing.relative_error",
        grouped(a.rays_per_heliostat),
        a.target,
        percent(a.reached),
        percent(a.wanted),
        std::min(kRayCounts.high, factor * static_cast<double>(a.most_rays_per_heliostat)));
}

}  // namespace helioray
