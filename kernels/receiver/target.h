// SPDX-License-Identifier: MIT
// A receiver of any shape with outline and aperture: first intersection of rays with its front, the
// adjoint, and the distance from the rim. The only file of the kernels that selects by the kind of
// receiver. Its switches have no default, so that a new kind does not compile until each has a
// case.
#pragma once

#include "kernels/core/assert.h"
#include "kernels/receiver/annulus.h"
#include "kernels/receiver/concentrator.h"
#include "kernels/receiver/cone.h"
#include "kernels/receiver/disc.h"
#include "kernels/receiver/plane.h"
#include "kernels/receiver/sphere.h"

namespace helioray::kernels {

/// Intersects the target and sets `hit` in place, because copies of several vectors force a round
/// trip through memory.
template <typename Real>
HELIORAY_HD void intersect_target(const TargetRecord& target,
                                  const Vec<Real>& o,
                                  const Vec<Real>& r,
                                  TargetHit<Real>& hit) {
    switch (target.kind) {
        case TargetKind::plane:
            return intersect_plane(target, o, r, hit);
        case TargetKind::disc:
            return intersect_disc(target, o, r, hit);
        case TargetKind::cylinder_outside:
        case TargetKind::cylinder_inside:
            return intersect_cylinder(target, o, r, hit);
        case TargetKind::annulus:
        case TargetKind::cone:
        case TargetKind::sphere:
        case TargetKind::quadric:
        case TargetKind::concentrator:
        case TargetKind::mesh:
            break;
    }
    HELIORAY_ASSERT(false, "a target of this kind is a surface of a receiver");
    hit.mask = Real(1.0f) < Real(0.0f);
}

/// Returns the derivatives with respect to the point of a hit, and the normal there.
template <typename Real>
HELIORAY_HD HitAdjoint<Real> hit_adjoint(const TargetRecord& target,
                                         const Vec<Real>& point,
                                         const GradientAtHit<Real>& at_hit) {
    switch (target.kind) {
        case TargetKind::plane:
        case TargetKind::disc:
            break;
        case TargetKind::cylinder_outside:
        case TargetKind::cylinder_inside:
            return cylinder_adjoint(target, point, at_hit);
        case TargetKind::annulus:
        case TargetKind::cone:
        case TargetKind::sphere:
        case TargetKind::quadric:
        case TargetKind::concentrator:
        case TargetKind::mesh:
            HELIORAY_ASSERT(false, "a target of this kind is a surface of a receiver");
            break;
    }
    return plane_adjoint(target, at_hit);
}

/// Returns the same for a surface of a receiver, in its own frame. A mesh has no derivatives.
template <typename Real>
HELIORAY_HD HitAdjoint<Real> surface_adjoint(const TargetRecord& shape,
                                             const Vec<Real>& point,
                                             const GradientAtHit<Real>& at_hit) {
    switch (shape.kind) {
        case TargetKind::plane:
        case TargetKind::disc:
        case TargetKind::cylinder_outside:
        case TargetKind::cylinder_inside:
            return hit_adjoint(shape, point, at_hit);
        case TargetKind::annulus:
            return annulus_adjoint(shape, point, at_hit);
        case TargetKind::cone:
            return cone_adjoint(shape, point, at_hit);
        case TargetKind::sphere:
            return sphere_adjoint(shape, point, at_hit);
        case TargetKind::quadric:
            return quadric_adjoint(shape, point, at_hit);
        case TargetKind::concentrator:
            return concentrator_adjoint(shape, point, at_hit);
        case TargetKind::mesh:
            HELIORAY_ASSERT(false, "light on a mesh has no derivatives");
            break;
    }
    return plane_adjoint(shape, at_hit);
}

/// Moves a point of a hit, in the surface's own frame, onto the surface, from which it deviates by
/// rounding, and returns the unit normal of the surface's front there.
template <typename Real>
HELIORAY_HD Vec<Real> settle_on_surface(const TargetRecord& shape, Vec<Real>& point) {
    switch (shape.kind) {
        case TargetKind::plane:
        case TargetKind::disc:
        case TargetKind::annulus:
        case TargetKind::mesh:
            break;
        case TargetKind::cylinder_outside:
        case TargetKind::cylinder_inside:
            return settle_on_cylinder(shape, point);
        case TargetKind::cone:
            return settle_on_cone(shape, point);
        case TargetKind::sphere:
            return settle_on_sphere(shape, point);
        case TargetKind::quadric:
            return settle_on_quadric(shape, point);
        case TargetKind::concentrator:
            return settle_on_concentrator(shape, point);
    }
    point.z = Real(0.0f);
    return {Real(0.0f), Real(0.0f), Real(1.0f)};
}

/// Adjoint of rays that end on a surface after `distance`, to their origin and their direction r.
/// hit: derivatives with respect to the point, in units of the loss, and the normal there.
/// by_distance: derivative of the loss with respect to the distance itself.
template <typename Real>
HELIORAY_HD void end_adjoint(const HitAdjoint<Real>& hit,
                             const Vec<Real>& r,
                             Real distance,
                             Real by_distance,
                             Vec<Real>& to_origin,
                             Vec<Real>& to_direction) {
    // The distance is determined by the surface, N . (do + t dr + r dt) = 0.
    const Real lambda = (dot(hit.point, r) + by_distance) / dot(hit.normal, r);
    to_origin = add_scaled(hit.point, -lambda, hit.normal);
    to_direction = scaled(distance, to_origin);
}

/// Adjoint of hits, which deliver `quanta` each, to the origin o and the direction r of rays that
/// end after `distance`. by_distance: derivative of the loss with respect to the distance itself.
template <typename Real>
HELIORAY_HD void target_adjoint(const TargetRecord& target,
                                const Vec<Real>& o,
                                const Vec<Real>& r,
                                Real distance,
                                const GradientAtHit<Real>& at_hit,
                                Real quanta,
                                Real by_distance,
                                Vec<Real>& to_origin,
                                Vec<Real>& to_direction) {
    const Vec<Real> point = add_scaled(o, distance, r);
    HitAdjoint<Real> hit = hit_adjoint(target, point, at_hit);
    hit.point = scaled(quanta, hit.point);
    end_adjoint(hit, r, distance, by_distance, to_origin, to_direction);
}

/// Returns true for rays that pass through the window before they end at `distance`.
template <typename Real, typename Scalar>
HELIORAY_HD auto passes_aperture(const ApertureRecord& aperture,
                                 const Vec<Scalar>& origin,
                                 const Vec<Real>& r,
                                 Real distance) {
    const Vec<Scalar> from_center = origin - to_vec<Scalar>(aperture.center);
    const Vec<Scalar> normal = to_vec<Scalar>(aperture.normal);
    const Real toward = dot(broadcast<Real>(normal), r);
    const Real t = Real(-dot(normal, from_center)) / toward;
    const Vec<Scalar> axis_x = to_vec<Scalar>(aperture.axis_x);
    const Vec<Scalar> axis_y = to_vec<Scalar>(aperture.axis_y);
    const Real x = fma_(t, dot(broadcast<Real>(axis_x), r), Real(dot(axis_x, from_center)));
    const Real y = fma_(t, dot(broadcast<Real>(axis_y), r), Real(dot(axis_y, from_center)));
    const Real size =
        aperture.kind == ApertureRecord::Kind::disc ? fma_(x, x, y * y) : max_(abs_(x), abs_(y));
    return (toward < Real(0.0f)) & (t > Real(0.0f)) & (t < distance) & (size <= Real(1.0f));
}

/// Removes hits outside the target's outline, which reaches `overlap` metres over its edges.
template <typename Real>
HELIORAY_HD void keep_inside_outline(const FieldView& field,
                                     const TargetRecord& target,
                                     float overlap,
                                     TargetHit<Real>& hit) {
    const float* edge = field.floats + target.edges;
    for (int32_t i = 0; i < target.num_edges; ++i, edge += 3) {
        hit.mask = hit.mask & (fma_(Real(edge[0]), hit.across, Real(edge[1]) * hit.up) <=
                               Real(edge[2] + overlap));
    }
}

/// Removes hits outside the target's outline and those that miss its aperture.
template <typename Real, typename Scalar>
HELIORAY_HD void restrict_hit(const FieldView& field,
                              const TargetRecord& target,
                              const Vec<Scalar>& origin,
                              const Vec<Real>& r,
                              TargetHit<Real>& hit) {
    keep_inside_outline(field, target, 0.0f, hit);
    if (target.aperture.kind != ApertureRecord::Kind::none) {
        hit.mask = hit.mask & passes_aperture(target.aperture, origin, r, hit.distance);
    }
}

/// Intersects a target that stands alone.
template <typename Real, typename Scalar>
HELIORAY_HD void meet_receiver(const FieldView& field,
                               const TargetRecord& target,
                               const Vec<Scalar>& origin,
                               const Vec<Real>& r,
                               TargetHit<Real>& hit) {
    intersect_target(target, broadcast<Real>(origin), r, hit);
    restrict_hit(field, target, origin, r, hit);
}

/// Returns the gap of hits within the rims.
template <typename Real>
HELIORAY_HD RimGap<Real> rim_gap(const FieldView& field,
                                 const TargetRecord& target,
                                 const TargetHit<Real>& hit) {
    const Real zero(0.0f);
    RimGap<Real> rim{Real(1e30f), zero, zero};
    switch (target.kind) {
        case TargetKind::plane:
            add_plane_rims(target, hit, rim);
            break;
        case TargetKind::disc:
            add_disc_rim(target, hit, rim);
            break;
        case TargetKind::cylinder_outside:
        case TargetKind::cylinder_inside:
            add_cylinder_rims(target, hit, rim);
            break;
        case TargetKind::annulus:
        case TargetKind::cone:
        case TargetKind::sphere:
        case TargetKind::quadric:
        case TargetKind::concentrator:
        case TargetKind::mesh:
            HELIORAY_ASSERT(false, "a target of this kind is a surface of a receiver");
            break;
    }
    const float* edge = field.floats + target.edges;
    for (int32_t i = 0; i < target.num_edges; ++i, edge += 3) {
        const float a = edge[0] / target.width;
        const float b = edge[1] / target.height;
        const float metres = 1.0f / sqrt_(fma_(a, a, b * b));
        const Real inside = Real(edge[2]) - fma_(Real(edge[0]), hit.across, Real(edge[1]) * hit.up);
        rim.nearest(inside * Real(metres), Real(-edge[0] * metres), Real(-edge[1] * metres));
    }
    return rim;
}

}  // namespace helioray::kernels
