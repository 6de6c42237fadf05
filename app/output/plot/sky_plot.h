// SPDX-License-Identifier: MIT
// Draws pictures of efficiency over the sky.
#pragma once

#include "app/output/plot/drawing/plot_page.h"
#include "raytracer/studies/efficiency/efficiency.h"

namespace helioray {

/// Returns a page with the sky from below as a disc: the zenith in the middle, the horizon at its
/// edge, north at the top, east on the right as on a map of the field. Colours show the efficiency
/// for the positions that the sun reaches, interpolated linearly; dots are the entries of the
/// table. `radius` is that of the disc in points. The table outlives the page.
PlotPage sky_page(const EfficiencyTable& table, double radius = 250.0);
PlotPage sky_page(EfficiencyTable&& table, double radius = 250.0) = delete;

}  // namespace helioray
