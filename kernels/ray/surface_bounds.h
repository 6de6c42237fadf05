// SPDX-License-Identifier: MIT
// Bounds of the surfaces of receivers, of which the search compares several at once with a cone of
// rays.
#pragma once

#include "kernels/core/trace_types.h"
#include "kernels/ray/occlusion.h"

namespace helioray::kernels {

/// Returns true for surfaces that lie in a plane.
HELIORAY_HD bool is_flat(TargetKind kind) {
    switch (kind) {
        case TargetKind::plane:
        case TargetKind::disc:
        case TargetKind::annulus:
            return true;
        case TargetKind::cylinder_outside:
        case TargetKind::cylinder_inside:
        case TargetKind::cone:
        case TargetKind::sphere:
        case TargetKind::quadric:
        case TargetKind::concentrator:
        case TargetKind::mesh:
            break;
    }
    return false;
}

/// Size of the rectangle around a flat surface, metres.
struct FlatSize {
    float width, height;
    HELIORAY_HD explicit FlatSize(const TargetRecord& shape)
        : width(shape.width), height(shape.height) {
        switch (shape.kind) {
            case TargetKind::plane:
            case TargetKind::disc:
                break;
            case TargetKind::annulus:
                // Its map is unrolled, with a size of its own.
                width = height = 2.0f * shape.radius;
                break;
            case TargetKind::cylinder_outside:
            case TargetKind::cylinder_inside:
            case TargetKind::cone:
            case TargetKind::sphere:
            case TargetKind::quadric:
            case TargetKind::concentrator:
            case TargetKind::mesh:
                break;
        }
    }
};

/// Bounds of up to kMost surfaces side by side in lanes, which the search of every bundle reads.
/// Lanes is the type of these lanes.
template <int32_t kMost>
class SurfaceBounds {
  public:
    static constexpr int32_t kCapacity = kMost;

    /// Adds a surface, of which there are at most kCapacity.
    HELIORAY_HD void add(const SurfaceRecord& surface) {
        const int32_t i = size_++;
        const FlatSize size(surface.shape);
        for (int k = 0; k < 3; ++k) rows_[k][i] = surface.origin[k];
        rows_[3][i] = surface.radius;
        for (int k = 0; k < 9; ++k) rows_[4 + k][i] = surface.rotation[k];
        rows_[13][i] = 0.5f * size.width;
        rows_[14][i] = 0.5f * size.height;
        rows_[15][i] = kernels::is_flat(surface.shape.kind) ? 1.0f : 0.0f;
    }

    HELIORAY_HD int32_t size() const { return size_; }

    /// Surfaces first, first + 1, ... as seen from the origin of a cone, see SurfaceInView.
    template <typename Lanes>
    struct Seen {
        static constexpr int kWidth = LaneTraits<Lanes>::kWidth;
        alignas(64) float nearest[kWidth];
        alignas(64) float origin[3][kWidth];
        uint32_t fronts;  ///< bit mask of the surfaces whose front faces the origin
    };

    /// Returns a point in the frames of surfaces first, first + 1, ..., and sets `seen` as if rays
    /// in all directions began there.
    template <typename Lanes>
    HELIORAY_HD Vec<Lanes> look_from(const Vec<float>& point,
                                     int32_t first,
                                     Seen<Lanes>& seen) const {
        const Lanes zero(0.0f);
        const Vec<Lanes> center = row_vec<Lanes>(0, first);
        const Vec<Lanes> right = row_vec<Lanes>(4, first);
        const Vec<Lanes> up = row_vec<Lanes>(7, first);
        const Vec<Lanes> normal = row_vec<Lanes>(10, first);
        const Vec<Lanes> from = broadcast<Lanes>(point) - center;
        const Vec<Lanes> o{dot(right, from), dot(up, from), dot(normal, from)};
        store(seen.nearest, zero);
        store(seen.origin[0], o.x);
        store(seen.origin[1], o.y);
        store(seen.origin[2], o.z);
        seen.fronts = lane_bits((o.z > zero) | !(row<Lanes>(15, first) > zero));
        return o;
    }

    /// Returns a bit mask: bit l is set unless no ray of the cone can meet surface first + l.
    ///
    /// A flat surface is compared with the ellipse that the cone cuts out of its plane. With the
    /// angle of incidence phi of the axis and the half angle theta of the cone, rays meet the plane
    /// at angles of phi - theta to phi + theta.
    template <typename Lanes>
    HELIORAY_HD uint32_t may_meet(const RayCone& cone, int32_t first, Seen<Lanes>& seen) const {
        constexpr int kWidth = LaneTraits<Lanes>::kWidth;
        const int32_t left = size_ - first;
        const uint32_t all = left < kWidth ? (1u << left) - 1u : ~0u >> (32 - kWidth);
        const Lanes zero(0.0f);
        const Vec<Lanes> center = row_vec<Lanes>(0, first);
        const Vec<Lanes> right = row_vec<Lanes>(4, first);
        const Vec<Lanes> up = row_vec<Lanes>(7, first);
        const Vec<Lanes> normal = row_vec<Lanes>(10, first);
        const Vec<Lanes> o = look_from(cone.origin, first, seen);
        const auto is_flat = row<Lanes>(15, first) > zero;
        if (cone.tangent < 0.0f) return all;
        const auto near = may_meet_spheres(cone, center, row<Lanes>(3, first));
        const Vec<Lanes> axis = broadcast<Lanes>(cone.axis);
        const Lanes approach = dot(normal, axis);
        const Lanes cosine = abs_(approach);
        const Lanes across = Lanes(cone.tangent) * sqrt_(max_(Lanes(1.0f) - cosine * cosine, zero));
        constexpr float kSlack = 0.999f;  // for the rounding of float32
        store(
            seen.nearest,
            select(is_flat, Lanes(kSlack) * abs_(o.z) / min_(cosine + across, Lanes(1.0f)), zero));
        // Otherwise the ellipse is very long, or a hyperbola.
        const auto is_ellipse = is_flat & (cosine - across > Lanes(0.02f));
        const Lanes t = abs_(o.z) / max_(cosine, Lanes(0.01f));
        const Lanes reach = fma_(t,
                                 Lanes(cone.tangent) / max_(cosine - across, Lanes(0.01f)),
                                 Lanes(kEdgeOverlap + 1e-3f));
        const auto lit = (o.z * approach < zero) &
                         (abs_(fma_(t, dot(right, axis), o.x)) <= row<Lanes>(13, first) + reach) &
                         (abs_(fma_(t, dot(up, axis), o.y)) <= row<Lanes>(14, first) + reach);
        return all & lane_bits(near & (lit | !is_ellipse));
    }

  private:
    template <typename Lanes>
    HELIORAY_HD Lanes row(int k, int32_t first) const {
        return load(rows_[k] + first, Lanes());
    }
    template <typename Lanes>
    HELIORAY_HD Vec<Lanes> row_vec(int k, int32_t first) const {
        return {row<Lanes>(k, first), row<Lanes>(k + 1, first), row<Lanes>(k + 2, first)};
    }

    int32_t size_ = 0;
    alignas(64) float rows_[16][kCapacity] = {};
};

}  // namespace helioray::kernels
