// SPDX-License-Identifier: MIT
// Occlusion by mirrors and bodies of rays that start at one mirror point.
#pragma once

#include "kernels/core/trace_types.h"
#include "kernels/core/vec.h"
#include "kernels/surface/outline.h"

namespace helioray::kernels {

/// A distance beyond all objects, metres.
inline constexpr float kNoLimit = 1e30f;

/// A cone that contains all rays of a bundle: those from the origin whose angle with the axis has a
/// tangent of at most `tangent`. A negative tangent means all rays.
struct RayCone {
    Vec<float> origin;
    Vec<float> axis;
    float tangent;
};

/// Returns false only if no ray of the cone, whose tangent is not negative, can hit the spheres.
template <typename Real>
HELIORAY_HD auto may_meet_spheres(const RayCone& cone, const Vec<Real>& center, Real radius) {
    const Vec<Real> axis = broadcast<Real>(cone.axis);
    const Vec<Real> to_center = center - broadcast<Real>(cone.origin);
    const Real along = dot(to_center, axis);
    const Vec<Real> across = add_scaled(to_center, -along, axis);
    const Real reach = fma_(along + radius, Real(cone.tangent), radius);
    return (along >= -radius) & (dot(across, across) <= reach * reach);
}

/// Returns false only if no ray of the cone can hit the sphere.
HELIORAY_HD bool may_meet(const RayCone& cone, const float (&center)[3], float radius) {
    return cone.tangent < 0.0f || may_meet_spheres(cone, to_vec(center), radius);
}

/// An occluder's facet seen from one point: values that all rays from this point share.
struct FacetInView {
    Vec<float> normal, axis_x, axis_y;
    float height;  ///< height of the facet's centre above the point, along its normal
    float x, y;    ///< coordinates of the point, in half extents
    float bend[3];
    int32_t outline;  ///< OccluderFacet::outline
};

HELIORAY_HD FacetInView view_facet(const OccluderFacet& facet, const Vec<float>& origin) {
    const Vec<float> to_center = to_vec(facet.center) - origin;
    FacetInView view;
    view.normal = to_vec(facet.normal);
    view.axis_x = to_vec(facet.axis_x);
    view.axis_y = to_vec(facet.axis_y);
    view.height = dot(view.normal, to_center);
    view.x = -dot(view.axis_x, to_center);
    view.y = -dot(view.axis_y, to_center);
    for (int i = 0; i < 3; ++i) view.bend[i] = facet.bending[i];
    view.outline = facet.outline;
    return view;
}

/// Largest distance of a mirror point from the approximated surface of its own facet, metres.
inline constexpr float kOwnFacetGap = 2e-3f;

/// Returns true if the point from which a facet is seen lies on it: its light leaves from there.
HELIORAY_HD bool is_own_facet(const FacetInView& view) {
    constexpr float kRim = 1.001f;
    const float x = view.x, y = view.y;
    const float bend = view.bend[0] * x * x + view.bend[1] * x * y + view.bend[2] * y * y;
    return abs_(x) <= kRim && abs_(y) <= kRim && abs_(view.height + bend) <= kOwnFacetGap;
}

/// Returns true if a ray with unit direction d hits the facet at a distance in (0, limit).
/// outlines: FieldView::occluder_outlines.
///
/// The plane through the facet's centre gives a first intersection, which one Newton step improves
/// with the facet's height and slope at this point.
template <typename Real>
HELIORAY_HD typename LaneTraits<Real>::Mask meets_facet(const FacetInView& facet,
                                                        const Vec<Real>& d,
                                                        Real limit,
                                                        const float* outlines = nullptr) {
    const Real approach = dot(broadcast<Real>(facet.normal), d);
    const Real slope_x = dot(broadcast<Real>(facet.axis_x), d);
    const Real slope_y = dot(broadcast<Real>(facet.axis_y), d);
    Real t = Real(facet.height) / approach;
    Real x = fma_(t, slope_x, Real(facet.x));
    Real y = fma_(t, slope_y, Real(facet.y));
    // Clamp the coordinates, because the facet's formula is not valid far beside it.
    const Real cx = max_(min_(x, Real(1.5f)), Real(-1.5f));
    const Real cy = max_(min_(y, Real(1.5f)), Real(-1.5f));
    const Real b0x = Real(facet.bend[0]) * cx;
    const Real b1(facet.bend[1]);
    const Real b2y = Real(facet.bend[2]) * cy;
    const Real bend = fma_(cx, fma_(b1, cy, b0x), b2y * cy);
    const Real rise = fma_(fma_(b1, cy, b0x + b0x), slope_x, fma_(b1, cx, b2y + b2y) * slope_y);
    t = t + bend / (approach - rise);
    x = fma_(t, slope_x, Real(facet.x));
    y = fma_(t, slope_y, Real(facet.y));
    const typename LaneTraits<Real>::Mask met =
        (abs_(x) <= Real(1.0f)) & (abs_(y) <= Real(1.0f)) & (t > Real(0.0f)) & (t < limit);
    if (facet.outline == 0) return met;
    return met & is_in_outline(outlines + facet.outline, x, y);
}

/// Restricts the interval [enter, leave] of a ray to the slab between two parallel planes at -1 and
/// 1.
template <typename Real>
HELIORAY_HD void clip_to_slab(float origin, Real direction, Real& enter, Real& leave) {
    // A ray parallel to the planes is tilted slightly.
    const auto parallel = abs_(direction) < Real(1e-20f);
    const Real inverse = Real(1.0f) / select(parallel, Real(1e-20f), direction);
    const Real a = (Real(-1.0f) - Real(origin)) * inverse;
    const Real b = (Real(1.0f) - Real(origin)) * inverse;
    enter = max_(enter, min_(a, b));
    leave = min_(leave, max_(a, b));
}

/// Restricts the interval [enter, leave] of a ray to the inside of an endless cylinder of radius 1
/// about the z axis.
template <typename Real>
HELIORAY_HD void clip_to_cylinder(
    const Vec<float>& o, const Vec<Real>& d, Real limit, Real& enter, Real& leave) {
    const Real square = fma_(d.x, d.x, d.y * d.y);
    const Real a = max_(square, Real(1e-20f));
    const Real half_b = fma_(Real(o.x), d.x, Real(o.y) * d.y);
    // Compute the distance of the axis from the ray without the cancellation of b^2 - 4ac far
    // away.
    const Real cross_z = fma_(Real(o.x), d.y, -(Real(o.y) * d.x));
    const Real discriminant = a - cross_z * cross_z;
    const Real root = sqrt_(max_(discriminant, Real(0.0f)));
    // A ray along the axis is either always or never inside.
    const bool starts_inside = fma_(o.x, o.x, o.y * o.y) < 1.0f;
    const Real along_axis(starts_inside ? 1.0f : -1.0f);
    const auto parallel = square < Real(1e-14f);
    const auto misses = select(parallel, along_axis, discriminant) <= Real(0.0f);
    enter = max_(enter, select(parallel, Real(0.0f), (-half_b - root) / a));
    leave = min_(leave, select(parallel, limit, (root - half_b) / a));
    leave = select(misses, Real(-1.0f), leave);
}

/// Restricts the interval [enter, leave] of a ray to the inside of a cone about the z axis with the
/// radius 1 + taper z. The interval must already be restricted to heights where this is not
/// negative.
template <typename Real>
HELIORAY_HD void clip_to_cone(
    float taper, const Vec<float>& o, const Vec<Real>& d, Real& enter, Real& leave) {
    const Real zero(0.0f);
    const Real least(1e-20f);
    // The cone's radius along the ray is radius + growth t, and a t^2 + 2 half_b t + c is negative
    // inside.
    const float radius = fma_(taper, o.z, 1.0f);
    const Real growth = Real(taper) * d.z;
    Real a = fma_(d.x, d.x, fma_(d.y, d.y, -(growth * growth)));
    a = select(abs_(a) < least, least, a);
    const Real half_b = fma_(Real(o.x), d.x, fma_(Real(o.y), d.y, -(Real(radius) * growth)));
    const Real c(fma_(o.x, o.x, fma_(o.y, o.y, -(radius * radius))));
    // As with the cylinder, half_b^2 - a c has too much cancellation far away.
    const Real cross_z = fma_(Real(o.x), d.y, -(Real(o.y) * d.x));
    const Real x = fma_(Real(radius), d.x, -(growth * Real(o.x)));
    const Real y = fma_(Real(radius), d.y, -(growth * Real(o.y)));
    const Real discriminant = fma_(x, x, fma_(y, y, -(cross_z * cross_z)));
    const Real root = sqrt_(max_(discriminant, zero));
    Real sum = select(half_b < zero, root - half_b, -(half_b + root));
    sum = select(abs_(sum) < least, least, sum);
    const Real one_end = sum / a;
    const Real other_end = c / sum;
    const Real first = min_(one_end, other_end);
    const Real last = max_(one_end, other_end);
    // A ray that is steeper than the shell always meets the cone, and stays inside where the cone
    // widens along the ray.
    const auto steep = a < zero;
    const auto widens = growth > zero;
    const auto misses = select(steep, Real(1.0f), discriminant) <= zero;
    enter = max_(enter, select(steep, select(widens, last, enter), first));
    leave = min_(leave, select(steep, select(widens, leave, first), last));
    leave = select(misses, Real(-1.0f), leave);
}

/// Returns true if a ray with unit direction d from the origin hits the body at a distance in (0,
/// limit), or starts inside.
template <typename Real>
HELIORAY_HD auto meets_obstacle(const ObstacleRecord& body,
                                const Vec<float>& origin,
                                const Vec<Real>& d,
                                Real limit) {
    const Vec<float> o = rotate(body.axes, origin - to_vec(body.center));
    const Vec<Real> local = rotate(body.axes, d);
    Real enter(0.0f);
    Real leave = limit;
    clip_to_slab(o.z, local.z, enter, leave);
    if (body.kind == ObstacleRecord::Kind::box) {
        clip_to_slab(o.x, local.x, enter, leave);
        clip_to_slab(o.y, local.y, enter, leave);
    } else if (body.kind == ObstacleRecord::Kind::cylinder) {
        clip_to_cylinder(o, local, limit, enter, leave);
    } else {
        clip_to_cone(body.taper, o, local, enter, leave);
    }
    return enter < leave;
}

}  // namespace helioray::kernels
