// SPDX-License-Identifier: MIT
// Pictures of efficiency over the sky.
#pragma once

#include "app/plot/plot_page.h"
#include "raytracer/efficiency/efficiency.h"

namespace helioray {

/// The sky from below as a disc: the zenith in the middle, the horizon as its rim, north at the
/// top, east on the right as on a map of the field. Colours show the efficiency where the sun gets
/// to, interpolated linearly, dots the entries of the table. The table outlives the page.
PlotPage sky_page(const EfficiencyTable& table);
PlotPage sky_page(EfficiencyTable&& table) = delete;

}  // namespace helioray
