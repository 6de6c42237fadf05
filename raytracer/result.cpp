// SPDX-License-Identifier: MIT
// Extents of target surfaces and the list of energy terms.
#include "raytracer/result.h"

namespace helioray {

std::array<double, 2> surface_extent(const Target& target) {
    if (const auto* plane = std::get_if<PlanarTarget>(&target.geometry)) {
        return {plane->width, plane->height};
    }
    const auto& cylinder = std::get<CylindricalTarget>(target.geometry);
    return {cylinder.radius * cylinder.opening_angle, cylinder.height};
}

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

}  // namespace helioray
