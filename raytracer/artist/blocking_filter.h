// SPDX-License-Identifier: MIT
// Which rectangles may block any ray of a batch: rays against the bounding volume hierarchy.
#pragma once

#include "raytracer/artist/components.h"
#include "raytracer/artist/lbvh.h"

#include <vector>

namespace helioray::artist {

/// Slab test of rays against one box: distances of entry and exit, metres. Axis-parallel rays are
/// kept finite by adding 1e-12 to the direction.
struct Slab {
    at::Tensor entry;
    at::Tensor exit;
};
Slab slab_test(const Components& origins, const Components& inverse_directions, const Box& box);

/// 1 / (direction + 1e-12).
Components inverse_directions(const Components& directions);

/// Marks every rectangle whose box a ray enters before its target distance (P34: rays that miss the
/// target have distance 0 and mark boxes around their origin only). Marks are added to `marked` and
/// serve all rays of the batch.
/// @param origins, directions, distance  one shape [N] after broadcasting; directions need not be
/// of unit length
/// @param own rectangle that these rays never mark: their heliostat's index within its group,
/// although rectangles are numbered
///            over all groups (P35)
void mark_rectangles(const Lbvh& tree,
                     const Components& origins,
                     const Components& directions,
                     const at::Tensor& distance,
                     int64_t own,
                     std::vector<bool>& marked);

}  // namespace helioray::artist
