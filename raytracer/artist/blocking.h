// SPDX-License-Identifier: MIT
// Blocking by mirrors as flat rectangles: a linear bounding volume hierarchy (a binary radix tree
// over Morton codes, Karras 2012) finds the rectangles that may block rays of a batch, which then
// block softly.
#pragma once

#include "raytracer/artist/field.h"
#include "raytracer/artist/kinematics.h"
#include "raytracer/artist/surface.h"
#include "raytracer/artist/transforms.h"

#include <ATen/core/Tensor.h>

#include <array>
#include <cstdint>
#include <vector>

namespace helioray::artist {

/// Inserts two zeros between neighbouring bits of the low ten bits.
uint32_t expand_bits(uint32_t value);

/// Returns the Morton codes of points [K, 3], scaled by the largest extent over the axes; bit 3i +
/// 2 north, 3i + 1 east, 3i up.
std::vector<uint32_t> morton_codes(const at::Tensor& points);

/// Axis-aligned box, metres.
struct Box {
    std::array<float, 3> min{};
    std::array<float, 3> max{};
};

/// Tree of 2 K - 1 nodes; node 0 is the root, nodes K - 1 ... 2 K - 2 are the leaves in the order
/// of their Morton codes. -1 means "no child" and "no rectangle".
struct Lbvh {
    std::vector<int64_t> left;
    std::vector<int64_t> right;
    std::vector<int64_t> rectangle;
    std::vector<Box> box;

    bool is_leaf(int64_t node) const { return rectangle[static_cast<size_t>(node)] >= 0; }
};

/// Builds the radix tree over ascending codes, without a tie-break for equal ones. Throws
/// InputError if three or more equal codes break the tree (P36); ARTIST would search it endlessly.
/// @param corners float32 [K, 4, 3] metres, K >= 1
Lbvh build_lbvh(const at::Tensor& corners);

/// Result of the slab test of rays against one box: distances of entry and exit, metres.
/// Axis-parallel rays are kept finite by adding 1e-12 to the direction.
struct Slab {
    at::Tensor entry;
    at::Tensor exit;
};
Slab slab_test(const Components& origins, const Components& inverse_directions, const Box& box);

/// Returns 1 / (direction + 1e-12).
Components inverse_directions(const Components& directions);

/// Marks every rectangle whose box a ray enters before its target distance (P34: rays that miss the
/// target have distance 0 and mark boxes around their origin only). Marks are added to `marked` and
/// apply to all rays of the batch.
/// @param origins, directions, distance  one shape [N] after broadcasting; directions need not be
/// of unit length
/// @param own rectangle that these rays never mark: their heliostat's index within its group,
/// although rectangles are numbered over all groups (P35)
void mark_rectangles(const Lbvh& tree,
                     const Components& origins,
                     const Components& directions,
                     const at::Tensor& distance,
                     int64_t own,
                     std::vector<bool>& marked);

/// K rectangles, float32 on the CPU.
struct Rectangles {
    at::Tensor corners;  ///< [K, 4, 3] metres: lower left, upper left, upper right, lower right
    at::Tensor span_u;   ///< [K, 3] upper left - lower left
    at::Tensor span_v;   ///< [K, 3] lower right - lower left
    at::Tensor normals;  ///< [K, 3] unit, span_u x span_v
};

/// Returns the indices of the four corner points among a heliostat's P surface points, in the order
/// of Rectangles::corners. Valid only for four facets ordered (-e, +n), (+e, +n), (-e, -n), (+e,
/// -n) with square grids (P33).
at::Tensor corner_indices(int64_t num_points);

/// @param corners float32 [K, 4, 3] metres
Rectangles make_rectangles(const at::Tensor& corners);

/// Returns one rectangle per heliostat, group after group. Active heliostats have their aligned
/// corners, the others lie flat at their position. The geometry is fixed for the whole trace (P32).
/// @param alignments one per group, rows as in Group::samples
Rectangles field_rectangles(const Scenario& scenario,
                            const ArtistRun& run,
                            const std::vector<Group>& groups,
                            const std::vector<Alignment>& alignments,
                            SurfaceStore& surfaces);

/// Returns the blocked fraction of every ray, 0 ... 1: sigmoids around the edges and 5 cm before
/// the ray's origin, summed over the rectangles and passed through 1 - exp(-100 sum), which
/// enlarges the blockers (P37). There is no upper distance limit (P38).
/// @param selected indices of the rectangles to test
at::Tensor blocked_share(const Rectangles& rectangles,
                         const std::vector<int64_t>& selected,
                         const Components& origins,
                         const Components& directions);

}  // namespace helioray::artist
