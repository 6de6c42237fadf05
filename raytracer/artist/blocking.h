// SPDX-License-Identifier: MIT
// Mirrors as flat rectangles, and how they block rays softly.
#pragma once

#include "raytracer/artist/field.h"
#include "raytracer/artist/kinematics.h"
#include "raytracer/artist/surface.h"
#include "raytracer/artist/transforms.h"

#include <ATen/core/Tensor.h>

#include <vector>

namespace helioray::artist {

/// K rectangles, float32 on the CPU.
struct Rectangles {
    at::Tensor corners;  ///< [K, 4, 3] metres: lower left, upper left, upper right, lower right
    at::Tensor span_u;   ///< [K, 3] upper left - lower left
    at::Tensor span_v;   ///< [K, 3] lower right - lower left
    at::Tensor normals;  ///< [K, 3] unit, span_u x span_v
};

/// Indices of the four corner points among a heliostat's P surface points, in the order of
/// Rectangles::corners. Valid only for four facets ordered (-e, +n), (+e, +n), (-e, -n), (+e, -n)
/// with square grids (P33).
at::Tensor corner_indices(int64_t num_points);

/// @param corners float32 [K, 4, 3] metres
Rectangles make_rectangles(const at::Tensor& corners);

/// One rectangle per heliostat, group after group. Active heliostats have their aligned corners,
/// the others lie flat at their position. The geometry is fixed for the whole trace (P32).
/// @param alignments one per group, rows as in Group::samples
Rectangles field_rectangles(const Scenario& scenario,
                            const ArtistRun& run,
                            const std::vector<Group>& groups,
                            const std::vector<Alignment>& alignments,
                            SurfaceStore& surfaces);

/// Blocked share of every ray, 0 ... 1: sigmoids around the edges and 5 cm before the ray's origin,
/// summed over the rectangles and passed through 1 - exp(-100 sum), which enlarges the blockers
/// (P37). No upper distance limit (P38).
/// @param selected indices of the rectangles that count
at::Tensor blocked_share(const Rectangles& rectangles,
                         const std::vector<int64_t>& selected,
                         const Components& origins,
                         const Components& directions);

}  // namespace helioray::artist
