// SPDX-License-Identifier: MIT
// Soft, differentiable blocking of rays by rectangles.
#pragma once

#include "raytracer/artist/components.h"
#include "raytracer/artist/rectangles.h"

#include <vector>

namespace helioray::artist {

/// Blocked share of every ray, 0 ... 1: sigmoids around the edges and 5 cm before the ray's origin,
/// summed over the rectangles and passed through 1 - exp(-100 sum), which enlarges the blockers
/// (P37). No upper distance limit (P38).
/// @param selected indices of the rectangles that count
at::Tensor blocked_share(const Rectangles& rectangles,
                         const std::vector<int64_t>& selected,
                         const Components& origins,
                         const Components& directions);

}  // namespace helioray::artist
