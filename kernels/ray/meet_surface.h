// SPDX-License-Identifier: MIT
// Rays meet one surface of a receiver, from either side.
#pragma once

#include "kernels/ray/flat_surface.h"
#include "kernels/ray/mesh_surface.h"
#include "kernels/ray/occlusion.h"
#include "kernels/ray/surface_hit.h"
#include "kernels/receiver/target.h"

namespace helioray::kernels {

/// Intersects a sector of a cylinder from either side. Returns the rays that meet its front.
template <typename Real, typename Scalar>
HELIORAY_HD auto meet_cylinder_surface(const TargetRecord& shape,
                                       const Vec<Scalar>& o,
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

// The code of round surfaces is kept out of the loop over panels, which a polygon of 24 panels
// traverses 5 to 8 % faster without it (AVX-512, one thread).

/// Intersects a surface of revolution other than a cylinder from either side; floats:
/// FieldView::floats; o in its own frame, r in the shared one. Returns the rays that meet its
/// front.
template <typename Real, typename Scalar>
HELIORAY_OUT_OF_LINE typename LaneTraits<Real>::Mask meet_round_surface(
    const SurfaceRecord& surface,
    const float* floats,
    const Vec<Scalar>& o,
    const Vec<Real>& r,
    TargetHit<Real>& hit) {
    const TargetRecord& shape = surface.shape;
    const Vec<Real> own = rotate(surface.rotation, r);
    switch (shape.kind) {
        case TargetKind::annulus:
            meet_annulus(shape, o, own, kEdgeOverlap, hit);
            return hit.mask & (Real(o.z) > Real(0.0f));
        case TargetKind::cone:
            return meet_cone(shape, o, own, kEdgeOverlap, hit);
        case TargetKind::sphere:
            return meet_sphere(shape, o, own, kEdgeOverlap, hit);
        case TargetKind::quadric:
            return meet_quadric_mirror(shape, floats, o, own, kEdgeOverlap, hit);
        case TargetKind::concentrator:
            return meet_concentrator(shape, o, own, kEdgeOverlap, Real(0.0f), Real(0.0f), hit);
        case TargetKind::plane:
        case TargetKind::disc:
        case TargetKind::mesh:
        case TargetKind::cylinder_outside:
        case TargetKind::cylinder_inside:
            break;
    }
    HELIORAY_ASSERT(false, "the surface is round and no cylinder");
    hit.mask = Real(1.0f) < Real(0.0f);
    return hit.mask;
}

/// Intersects a surface without a flat map from either side; floats: FieldView::floats; o in its
/// own frame, r in the shared one. Returns the rays that meet its front.
template <typename Real, typename Scalar>
HELIORAY_HD typename LaneTraits<Real>::Mask meet_unrolled_surface(const SurfaceRecord& surface,
                                                                  const float* floats,
                                                                  const Vec<Scalar>& o,
                                                                  const Vec<Real>& r,
                                                                  TargetHit<Real>& hit) {
    switch (surface.shape.kind) {
        case TargetKind::plane:
        case TargetKind::disc:
        case TargetKind::mesh:
            break;
        case TargetKind::cylinder_outside:
        case TargetKind::cylinder_inside:
            return meet_cylinder_surface(surface.shape, o, rotate(surface.rotation, r), hit);
        case TargetKind::annulus:
        case TargetKind::cone:
        case TargetKind::sphere:
        case TargetKind::quadric:
        case TargetKind::concentrator:
            return meet_round_surface(surface, floats, o, r, hit);
    }
    HELIORAY_ASSERT(false, "the surface has no flat map");
    hit.mask = Real(1.0f) < Real(0.0f);
    return hit.mask;
}

/// A surface as seen from a mirror point.
struct SurfaceInView {
    int32_t surface;    ///< index into FieldView::surfaces
    float nearest;      ///< no ray of the cone meets the surface before this distance, metres
    Vec<float> origin;  ///< the point in the surface's own frame, metres
};

/// Intersects a surface. may_meet: rays that are compared with it. Others must keep their hits
/// even where they meet it within the overlap of an edge, or results would depend on the rays
/// in the same vector and differ between instruction sets. has_meshes: surfaces may be meshes.
template <bool has_meshes = true, typename Real>
HELIORAY_HD void meet_surface(const FieldView& field,
                              const SurfaceInView& view,
                              const FlatSurface& flat,
                              const Vec<Real>& r,
                              typename LaneTraits<Real>::Mask may_meet,
                              SurfaceHit<Real>& hit) {
    const SurfaceRecord& surface = field.surfaces[view.surface];
    const auto index = make_int(view.surface, r.x);
    TargetHit<Real> other;
    if (has_flat_map(surface.shape.kind)) {
        meet_flat_surface(field, surface.shape, view.origin, flat, kEdgeOverlap, r, other);
        other.mask = other.mask & may_meet;
        if (!any(other.mask)) return;
        const auto front = other.mask & (Real(view.origin.z) > Real(0.0f));
        keep_nearer(other, front, surface.is_absorber != 0, index, hit);
        return;
    }
    const auto meet_curved = [&]() __attribute__((always_inline)) {
        if constexpr (has_meshes) {
            if (surface.shape.kind == TargetKind::mesh)
                return meet_mesh(field,
                                 surface,
                                 broadcast<Real>(view.origin),
                                 r,
                                 MeshStart<Real>(),
                                 hit.distance,
                                 other);
        }
        return meet_unrolled_surface(surface, field.floats, view.origin, r, other);
    };
    const auto front = meet_curved();
    other.mask = other.mask & may_meet;
    keep_nearer(other, front, surface.is_absorber != 0, index, hit);
}

/// Returns true if a surface of a receiver that shades mirrors is near the rays of a cone.
HELIORAY_HD bool may_meet_shading_surface(const FieldView& field, const RayCone& cone) {
    for (int32_t i = 0; i < field.num_surfaces; ++i) {
        const SurfaceRecord& surface = field.surfaces[i];
        if (surface.shades != 0 && may_meet(cone, surface.origin, surface.radius)) return true;
    }
    return false;
}

/// Returns the rays along d from a point that meet surfaces of receivers that shade mirrors, from
/// either side, at a distance below the limit.
template <typename Real>
HELIORAY_HD typename LaneTraits<Real>::Mask meet_shading_surfaces(const FieldView& field,
                                                                  const Vec<float>& origin,
                                                                  const Vec<Real>& d,
                                                                  Real limit) {
    typename LaneTraits<Real>::Mask met = Real(1.0f) < Real(0.0f);
    for (int32_t i = 0; i < field.num_surfaces; ++i) {
        const SurfaceRecord& surface = field.surfaces[i];
        if (surface.shades == 0) continue;
        const Vec<float> o = rotate(surface.rotation, origin - to_vec(surface.origin));
        TargetHit<Real> hit;
        if (has_flat_map(surface.shape.kind)) {
            meet_flat_surface(field, surface.shape, o, flat_surface(surface, 0.0f), 0.0f, d, hit);
        } else {
            meet_unrolled_surface(surface, field.floats, o, d, hit);
        }
        met = met | (hit.mask & (hit.distance < limit));
    }
    return met;
}

}  // namespace helioray::kernels
