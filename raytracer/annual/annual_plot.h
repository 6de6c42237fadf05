// SPDX-License-Identifier: MIT
// Pictures of a year.
#pragma once

#include "raytracer/annual/annual.h"
#include "raytracer/output/heliostat_quantity.h"
#include "raytracer/output/plot_page.h"

#include <string>
#include <vector>

namespace helioray {

/// Energy on the targets by month beside the direct sun. `yield` outlives the page.
PlotPage months_page(const AnnualYield& yield);

/// The quantities of heliostats with a year's names: efficiency, solar_energy, the losses,
/// target_energy, target_energy_std_error. For field_page() with the yield's plan.
const std::vector<HeliostatQuantity>& annual_quantities();

/// The plan for pictures of the field. Throws InputError, naming `where`, for a yield without one.
const RunResult& plan_of(const AnnualYield& yield, const std::string& where);

/// Light, number of heliostats and rays.
std::string year_text(const AnnualYield& yield);

}  // namespace helioray
