// SPDX-License-Identifier: MIT
// Peak and centroid of a flux map.
#pragma once

#include "raytracer/job/result.h"

namespace helioray {

/// Sets peak_flux_w_m2 and centroid_m from flux; the centroid of an empty map is the middle of the
/// target's surface.
void add_map_statistics(TargetResult& result);

}  // namespace helioray
