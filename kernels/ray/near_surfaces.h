// SPDX-License-Identifier: MIT
// The surfaces of all receivers: rays meet the nearest one, from either side.
#pragma once

#include "kernels/ray/occlusion.h"
#include "kernels/receiver/target.h"

namespace helioray::kernels {

/// Distance by which flat surfaces reach over their edges, metres, so that no ray passes between
/// panels that share an edge. It is a few times the rounding of float32 for rays of two kilometres.
inline constexpr float kEdgeOverlap = 2e-4f;

/// The nearest surface that rays meet. `mask` is set if it is the front of an absorber.
template <typename Real>
struct SurfaceHit : TargetHit<Real> {
    using Mask = typename LaneTraits<Real>::Mask;
    Mask meets;                              ///< the ray meets a surface, from either side
    Mask front;                              ///< the ray meets the front of the surface
    typename LaneTraits<Real>::Int surface;  ///< index into FieldView::surfaces, 0 for misses
};

/// Returns the rays that end on a receiver, at the distance of the hit.
template <typename Real>
HELIORAY_HD auto ends(const SurfaceHit<Real>& hit) {
    return hit.meets;
}

/// Removes the hits of all other rays.
template <typename Real, typename Mask>
HELIORAY_HD void keep_where(Mask mask, SurfaceHit<Real>& hit) {
    hit.mask = hit.mask & mask;
    hit.meets = hit.meets & mask;
    hit.front = hit.front & mask;
}

/// Intersects a flat surface from either side.
template <typename Real>
HELIORAY_HD void meet_flat_surface(const FieldView& field,
                                   const TargetRecord& shape,
                                   const Vec<float>& o,
                                   const Vec<Real>& r,
                                   TargetHit<Real>& hit) {
    hit.distance = Real(-o.z) / r.z;
    hit.across = fma_(hit.distance, r.x, Real(o.x)) * Real(1.0f / shape.width);
    hit.up = fma_(hit.distance, r.y, Real(o.y)) * Real(1.0f / shape.height);
    const Real limit_across(0.5f + kEdgeOverlap / shape.width);
    const Real limit_up(0.5f + kEdgeOverlap / shape.height);
    hit.mask = (hit.distance > Real(0.0f)) & (abs_(hit.across) <= limit_across) &
               (abs_(hit.up) <= limit_up);
    if (shape.kind == TargetKind::disc) {
        const Real square = fma_(hit.across, hit.across, hit.up * hit.up);
        hit.mask = hit.mask & (square <= limit_across * limit_across);
    }
    const float* edge = field.floats + shape.edges;
    for (int32_t i = 0; i < shape.num_edges; ++i, edge += 3) {
        const Real outwards = fma_(Real(edge[0]), hit.across, Real(edge[1]) * hit.up);
        hit.mask = hit.mask & (outwards <= Real(edge[2] + kEdgeOverlap));
    }
}

/// Intersects a sector of a cylinder from either side. Returns the rays that meet its front.
template <typename Real>
HELIORAY_HD auto meet_cylinder_surface(const TargetRecord& shape,
                                       const Vec<float>& o,
                                       const Vec<Real>& r,
                                       TargetHit<Real>& hit) {
    TargetRecord side = shape;
    side.kind = TargetKind::cylinder_outside;
    intersect_cylinder(side, broadcast<Real>(o), r, hit);
    side.kind = TargetKind::cylinder_inside;
    TargetHit<Real> inner;
    intersect_cylinder(side, broadcast<Real>(o), r, inner);
    // The hit from inside is valid only for rays that do not meet the outside.
    const bool lit_inside = shape.kind == TargetKind::cylinder_inside;
    const auto front = lit_inside ? inner.mask : hit.mask;
    hit.across = select(inner.mask, inner.across, hit.across);
    hit.up = select(inner.mask, inner.up, hit.up);
    hit.distance = select(inner.mask, inner.distance, hit.distance);
    hit.mask = hit.mask | inner.mask;
    return front;
}

/// The surfaces that rays from one mirror point can meet, found once for all rays of a bundle.
class NearSurfaces {
  public:
    /// seen: [num_surfaces] flags, set to 1 for every surface that a ray may have met.
    HELIORAY_HD NearSurfaces(const FieldView& field, uint8_t* seen) : field_(&field), seen_(seen) {}

    /// Finds the surfaces that rays of the cone may meet.
    HELIORAY_HD void find(const RayCone& cone) {
        size_ = 0;
        rest_ = field_->num_surfaces;
        origin_ = cone.origin;
        for (int32_t i = 0; i < field_->num_surfaces; ++i) {
            const SurfaceRecord& surface = field_->surfaces[i];
            if (!may_meet(cone, surface.center, surface.radius)) continue;
            if (size_ == kCapacity) {
                rest_ = i;
                break;
            }
            seen_[i] = 1;
            near_[size_++] = {own_origin(surface), i};
        }
        for (int32_t i = rest_; i < field_->num_surfaces; ++i) seen_[i] = 1;
    }

    /// Sets `hit` to the nearest surface that rays from the point along r meet. Of surfaces at
    /// equal distances, the first one counts.
    template <typename Real>
    HELIORAY_HD void meet(const Vec<Real>& r, SurfaceHit<Real>& hit) const {
        const Real zero(0.0f);
        const auto none = Real(1.0f) < zero;
        hit.distance = Real(kNoLimit);
        hit.across = hit.up = zero;
        hit.mask = hit.meets = hit.front = none;
        hit.surface = make_int(0, zero);
        for (int32_t i = 0; i < size_; ++i) meet_one(near_[i].surface, near_[i].origin, r, hit);
        for (int32_t i = rest_; i < field_->num_surfaces; ++i)
            meet_one(i, own_origin(field_->surfaces[i]), r, hit);
    }

  private:
    struct Near {
        Vec<float> origin;  ///< mirror point in the surface's own frame
        int32_t surface;
    };
    static constexpr int32_t kCapacity = 48;

    HELIORAY_HD Vec<float> own_origin(const SurfaceRecord& surface) const {
        return rotate(surface.rotation, origin_ - to_vec(surface.origin));
    }

    template <typename Real>
    HELIORAY_HD void meet_one(int32_t i,
                              const Vec<float>& o,
                              const Vec<Real>& direction,
                              SurfaceHit<Real>& hit) const {
        const SurfaceRecord& surface = field_->surfaces[i];
        const Vec<Real> r = rotate(surface.rotation, direction);
        TargetHit<Real> other;
        auto front = hit.front;
        switch (surface.shape.kind) {
            case TargetKind::plane:
            case TargetKind::disc:
                meet_flat_surface(*field_, surface.shape, o, r, other);
                front = other.mask & (Real(o.z) > Real(0.0f));
                break;
            case TargetKind::cylinder_outside:
            case TargetKind::cylinder_inside:
                front = meet_cylinder_surface(surface.shape, o, r, other);
                break;
        }
        const auto nearer = other.mask & (other.distance < hit.distance);
        hit.distance = select(nearer, other.distance, hit.distance);
        hit.across = select(nearer, other.across, hit.across);
        hit.up = select(nearer, other.up, hit.up);
        hit.surface = select(nearer, make_int(i, hit.distance), hit.surface);
        hit.meets = hit.meets | nearer;
        hit.front = (hit.front & !nearer) | (front & nearer);
        hit.mask = hit.mask & !nearer;
        if (surface.is_absorber != 0) hit.mask = hit.mask | (front & nearer);
    }

    const FieldView* field_;
    uint8_t* seen_;
    Vec<float> origin_{};
    int32_t size_ = 0;
    int32_t rest_ = 0;  ///< surfaces from here on did not fit into the list
    Near near_[kCapacity];
};

/// Intersects the surfaces of all receivers, as seen from the point of the last find().
template <typename Real, typename Scalar>
HELIORAY_HD void meet_receiver(const FieldView&,
                               const NearSurfaces& surfaces,
                               const Vec<Scalar>&,
                               const Vec<Real>& r,
                               SurfaceHit<Real>& hit) {
    surfaces.meet(r, hit);
}

/// Type of the hits of a receiver: a single target, or the surfaces of all receivers.
template <typename Receiver, typename Real>
struct ReceiverHit {
    using Type = TargetHit<Real>;
};
template <typename Real>
struct ReceiverHit<NearSurfaces, Real> {
    using Type = SurfaceHit<Real>;
};

}  // namespace helioray::kernels
