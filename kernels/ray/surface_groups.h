// SPDX-License-Identifier: MIT
// Walls of convex cavities, and outermost surfaces: light that they reflect can meet only some of
// the other surfaces, or none.
#pragma once

#include "kernels/core/trace_types.h"
#include "kernels/core/vec.h"
#include "kernels/ray/flat_surface.h"

namespace helioray::kernels {

/// Groups of up to 128 surfaces of receivers; fields with more have none.
///
/// The walls of a convex cavity are rectangles and convex polygons, each of which lies before the
/// planes of all others. A ray between them leaves the cavity through the first of their planes
/// that it approaches, and does not meet any wall after this. All other surfaces lie on or behind
/// the plane of an outermost surface, so that light from its front meets nothing.
class SurfaceGroups {
  public:
    static constexpr int32_t kCapacity = 128;

    HELIORAY_HD explicit SurfaceGroups(const FieldView& field) {
        if (field.num_surfaces > kCapacity) return;
        for (int32_t i = 0; i < field.num_surfaces; ++i) {
            const SurfaceRecord& surface = field.surfaces[i];
            const bool is_straight = has_straight_rim(surface.shape.kind);
            add_corners(field, i);
            const Vec<float> axes[2] = {scaled(0.5f * surface.shape.width, axis(surface, 0)),
                                        scaled(0.5f * surface.shape.height, axis(surface, 1))};
            for (int k = 0; k < 2; ++k) {
                reach_[k][0][i] = is_straight ? axes[k].x : 0.0f;
                reach_[k][1][i] = is_straight ? axes[k].y : 0.0f;
                reach_[k][2][i] = is_straight ? axes[k].z : 0.0f;
            }
            for (int k = 0; k < 3; ++k) center_[k][i] = surface.origin[k];
            radius_[i] = is_straight ? 0.0f : surface.radius;
        }
        for (int32_t i = 0; i < field.num_surfaces; ++i) find_outermost(field, i);
        for (int32_t i = 0; i < field.num_surfaces; ++i) find_cavity(i, field.num_surfaces);
        drop_small_cavities(field.num_surfaces);
    }

    /// Returns the number of the convex cavity of which a surface is a wall, 1 to num_cavities().
    HELIORAY_HD int32_t cavity(int32_t surface) const { return cavity_[surface]; }
    HELIORAY_HD int32_t num_cavities() const { return num_cavities_; }
    HELIORAY_HD bool is_outermost(int32_t surface) const { return is_outermost_[surface] != 0; }

  private:
    /// Distance from a plane within which surfaces lie on it, metres; coordinates are rounded.
    static constexpr float kOnPlane = 1e-4f;
    /// Cavities with fewer walls gain nothing.
    static constexpr int32_t kFewestWalls = 4;

    /// Returns true for rectangles, which may have a polygon as outline. Others are compared by the
    /// spheres around them and are no walls.
    HELIORAY_HD static bool has_straight_rim(TargetKind kind) {
        switch (flat_rim(kind)) {
            case FlatRim::rectangle:
                return true;
            case FlatRim::ellipse:
            case FlatRim::none:
                break;
        }
        return false;
    }

    HELIORAY_HD static Vec<float> axis(const SurfaceRecord& surface, int k) {
        const float* row = surface.rotation + (k == 0 ? 0 : k == 1 ? 3 : 6);
        return {row[0], row[1], row[2]};
    }

    /// Computes the heights of all surfaces above the plane of surface i.
    HELIORAY_HD void measure_heights(const FieldView& field, int32_t i) {
        const Vec<float> n = axis(field.surfaces[i], 2);
        const float at = n.x * center_[0][i] + n.y * center_[1][i] + n.z * center_[2][i];
        for (int32_t j = 0; j < field.num_surfaces; ++j) {
            const auto along = [&](const float(&vector)[3][kCapacity]) {
                return n.x * vector[0][j] + n.y * vector[1][j] + n.z * vector[2][j];
            };
            const float height = along(center_) - at;
            const float a = along(reach_[0]);
            const float b = along(reach_[1]);
            const float reach = (a < 0.0f ? -a : a) + (b < 0.0f ? -b : b) + radius_[j];
            lowest_[j] = height - reach;
            highest_[j] = height + reach;
        }
        for (int32_t j = 0; j < field.num_surfaces; ++j) {
            if (num_corners_[j] == 0) continue;
            lowest_[j] = highest_[j] = dot(n, corners_[first_corner_[j]]) - at;
            for (int32_t k = 1; k < num_corners_[j]; ++k) {
                const float height = dot(n, corners_[first_corner_[j] + k]) - at;
                lowest_[j] = height < lowest_[j] ? height : lowest_[j];
                highest_[j] = height > highest_[j] ? height : highest_[j];
            }
        }
        lowest_[i] = 0.0f;
        highest_[i] = 0.0f;
    }

    /// Stores the corners of a surface's outline; surfaces without corners are as large as their
    /// rectangle.
    HELIORAY_HD void add_corners(const FieldView& field, int32_t i) {
        const SurfaceRecord& surface = field.surfaces[i];
        const TargetRecord& shape = surface.shape;
        const int32_t count = shape.num_edges;
        first_corner_[i] = total_corners_;
        if (!has_straight_rim(shape.kind) || count < 3 || total_corners_ + count > kMostCorners)
            return;
        const float* edges = field.floats + shape.edges;
        for (int32_t k = 0; k < count; ++k) {
            const float* a = edges + static_cast<int64_t>(3) * k;
            const float* b = edges + static_cast<int64_t>(3) * ((k + 1) % count);
            // In widths and heights; edges are in the order of the corners between them.
            const float area = a[0] * b[1] - a[1] * b[0];
            const float size = (a[0] * a[0] + a[1] * a[1]) * (b[0] * b[0] + b[1] * b[1]);
            if (!(area * area > 1e-8f * size)) return;
            const float across = (a[2] * b[1] - a[1] * b[2]) / area;
            const float up = (a[0] * b[2] - a[2] * b[0]) / area;
            if (!(across * across <= 0.26f && up * up <= 0.26f)) return;
            corners_[total_corners_ + k] = add_scaled(
                add_scaled(to_vec(surface.origin), across * shape.width, axis(surface, 0)),
                up * shape.height,
                axis(surface, 1));
        }
        num_corners_[i] = count;
        total_corners_ += count;
    }

    HELIORAY_HD void find_outermost(const FieldView& field, int32_t i) {
        measure_heights(field, i);
        const TargetKind kind = field.surfaces[i].shape.kind;
        bool is_outermost = has_flat_map(kind);
        const bool is_wall = has_straight_rim(kind);
        for (int32_t j = 0; j < field.num_surfaces; ++j) {
            is_outermost = is_outermost && highest_[j] <= kOnPlane;
            // Surfaces in one plane are no walls of one cavity: their outlines differ.
            is_before_[i][j] = is_wall && lowest_[j] >= -kOnPlane && highest_[j] > 2.0f * kOnPlane;
        }
        is_outermost_[i] = is_outermost ? 1 : 0;
    }

    /// Adds surface i to the first cavity of whose walls it can be one, or to a new one.
    HELIORAY_HD void find_cavity(int32_t i, int32_t num_surfaces) {
        cavity_[i] = 0;
        // Panels of a polygon have no partner, and most searches end here.
        bool has_partner = false;
        for (int32_t j = 0; j < num_surfaces; ++j)
            has_partner = has_partner || (is_before_[i][j] != 0 && is_before_[j][i] != 0);
        if (!has_partner) return;
        for (int32_t number = 1;; ++number) {
            bool fits = true;
            for (int32_t j = 0; j < i && fits; ++j)
                fits = cavity_[j] != number || (is_before_[i][j] != 0 && is_before_[j][i] != 0);
            if (!fits) continue;
            cavity_[i] = number;
            num_cavities_ = number > num_cavities_ ? number : num_cavities_;
            return;
        }
    }

    HELIORAY_HD void drop_small_cavities(int32_t num_surfaces) {
        int32_t kept = 0;
        for (int32_t number = 1; number <= num_cavities_; ++number) {
            int32_t size = 0;
            for (int32_t i = 0; i < num_surfaces; ++i) size += cavity_[i] == number ? 1 : 0;
            const int32_t name = size >= kFewestWalls ? ++kept : 0;
            for (int32_t i = 0; i < num_surfaces; ++i) {
                if (cavity_[i] == number) cavity_[i] = name;
            }
        }
        num_cavities_ = kept;
    }

    static constexpr int32_t kMostCorners = 512;

    int32_t num_cavities_ = 0;
    int32_t total_corners_ = 0;
    int32_t first_corner_[kCapacity] = {};
    int32_t num_corners_[kCapacity] = {};
    Vec<float> corners_[kMostCorners];  ///< corners of outlines, metres
    int32_t cavity_[kCapacity] = {};
    uint8_t is_outermost_[kCapacity] = {};
    uint8_t is_before_[kCapacity][kCapacity];  ///< [i][j]: j lies before the plane of wall i
    float center_[3][kCapacity];
    float reach_[2][3][kCapacity];  ///< half sizes of rectangles as vectors
    float radius_[kCapacity];       ///< radii of spheres around other surfaces, metres
    float highest_[kCapacity];
    float lowest_[kCapacity];
};

}  // namespace helioray::kernels
