// SPDX-License-Identifier: MIT
// A sector of a cylinder as receiver, lit from outside or from inside: z along the axis, y through
// the sector's middle.
#pragma once

#include "kernels/receiver/plane.h"

namespace helioray::kernels {

/// Returns the record of a sector of `opening_angle` radians in (0, 2 pi]; radius and height in
/// metres.
inline TargetRecord cylinder_record(double radius,
                                    double height,
                                    double opening_angle,
                                    bool inside) {
    TargetRecord record{};
    record.kind = inside ? TargetKind::cylinder_inside : TargetKind::cylinder_outside;
    record.width = static_cast<float>(radius * opening_angle);
    record.height = static_cast<float>(height);
    record.radius = static_cast<float>(radius);
    record.opening_angle = static_cast<float>(opening_angle);
    return record;
}

/// Returns atan2(y, x) / (2 pi) in [-1/2, 1/2]; absolute error below 2e-8 turns (odd minimax
/// polynomial on [0, 1]).
template <typename Real>
HELIORAY_HD Real atan2_turns(Real y, Real x) {
    const Real ax = abs_(x);
    const Real ay = abs_(y);
    const Real low = min_(ax, ay);
    const Real high = max_(max_(ax, ay), Real(1e-30f));
    // Arguments above tan(pi/8) are reduced by an eighth turn: atan(t) = pi/4 + atan((t - 1) / (t +
    // 1)).
    const auto turn = low > high * Real(0.414213562373095f);
    const Real t = select(turn, low - high, low) / select(turn, low + high, high);
    const Real z = t * t;
    Real p = fma_(Real(8.05374449538e-2f), z, Real(-1.38776856032e-1f));
    p = fma_(p, z, Real(1.99777106478e-1f));
    p = fma_(p, z, Real(-3.33329491539e-1f));
    Real angle = fma_(p * z, t, t) * Real(0.159154943091895336f);
    angle = angle + select(turn, Real(0.125f), Real(0.0f));
    angle = select(ay > ax, Real(0.25f) - angle, angle);
    angle = select(x < Real(0.0f), Real(0.5f) - angle, angle);
    return select(y < Real(0.0f), -angle, angle);
}

/// Returns the angle from the sector's middle (+y) towards +x at distance t, in turns.
template <typename Real>
HELIORAY_HD Real sector_angle(const Vec<Real>& o, const Vec<Real>& r, Real t) {
    return atan2_turns(fma_(t, r.x, o.x), fma_(t, r.y, o.y));
}

/// Returns true if the point at distance t is in front of the origin and within the sector and its
/// height.
template <typename Real>
HELIORAY_HD auto on_sheet(
    const Vec<Real>& o, const Vec<Real>& r, Real t, Real angle, Real half_angle, Real half_height) {
    return (t > Real(0.0f)) & (abs_(angle) <= half_angle) &
           (abs_(fma_(t, r.z, o.z)) <= half_height);
}

/// Intersects a sector of a cylinder about z with its middle at +y. The sheet has two sides: a ray
/// that hits the unlit side first is stopped; one that passes beside the sheet may still hit the
/// far wall.
template <typename Real>
HELIORAY_HD void intersect_cylinder(const TargetRecord& target,
                                    const Vec<Real>& o,
                                    const Vec<Real>& r,
                                    TargetHit<Real>& hit) {
    const bool inside = target.kind == TargetKind::cylinder_inside;
    const Real radius(target.radius);
    const Real a = fma_(r.x, r.x, r.y * r.y);
    const Real half_b = fma_(o.x, r.x, o.y * r.y);
    // Compute the squared distance of the axis from the ray without the cancellation of b^2 - 4ac
    // far from the cylinder.
    const Real cross_z = fma_(o.x, r.y, -(o.y * r.x));
    const Real discriminant = fma_(radius * radius, a, -(cross_z * cross_z));
    const auto meets = (discriminant > Real(0.0f)) & (a > Real(1e-12f));
    const Real root = sqrt_(max_(discriminant, Real(0.0f)));
    const Real safe_a = max_(a, Real(1e-12f));
    const Real near = (-half_b - root) / safe_a;
    const Real far = (root - half_b) / safe_a;

    // The angle is in turns; a full turn must not lose a sliver by rounding.
    const float opening_turns = target.opening_angle * 0.159154943091895336f;
    const Real half_angle(opening_turns > 0.999999f ? 0.5f : 0.5f * opening_turns);
    const Real half_height(0.5f * target.height);
    Real angle = sector_angle(o, r, near);
    const auto near_hit = meets & on_sheet(o, r, near, angle, half_angle, half_height);
    hit.distance = near;
    hit.mask = near_hit;
    if (inside) {
        angle = sector_angle(o, r, far);
        hit.distance = far;
        hit.mask = meets & on_sheet(o, r, far, angle, half_angle, half_height) & !near_hit;
    }
    // From outside, +x is on the observer's left; from inside on the right.
    const Real side(inside ? 1.0f : -1.0f);
    hit.across = angle * (side / (half_angle + half_angle));
    hit.up = fma_(hit.distance, r.z, o.z) / Real(target.height);
}

/// Adjoint of a hit at `point`: across = side * atan2(x, y) / opening angle, up = z / height.
template <typename Real>
HELIORAY_HD HitAdjoint<Real> cylinder_adjoint(const TargetRecord& target,
                                              const Vec<Real>& point,
                                              const GradientAtHit<Real>& g) {
    const float side = target.kind == TargetKind::cylinder_inside ? 1.0f : -1.0f;
    const float turn = side / (target.opening_angle * target.radius * target.radius);
    const Real k = g.by_across * Real(turn);
    return {{k * point.y, -(k * point.x), g.by_up * Real(1.0f / target.height)},
            {point.x, point.y, Real(0.0f)}};
}

/// Returns the derivative of the angle from the sector's middle, as a part of the sector, along a
/// turn towards +x, divided by the square of the distance from the axis: the angle changes by this
/// times (y, -x) per metre. Next to the axis, where it is unbounded, it stays constant.
template <typename Real>
HELIORAY_HD Real sector_slope(const TargetRecord& shape, const Vec<Real>& point) {
    const Real square = fma_(point.x, point.x, point.y * point.y);
    const float nearest = 1e-3f * shape.radius;
    return Real(1.0f / shape.opening_angle) / max_(square, Real(nearest * nearest));
}

/// Moves a point next to a cylinder onto it and returns the unit normal of its lit side there.
template <typename Real>
HELIORAY_HD Vec<Real> settle_on_cylinder(const TargetRecord& target, Vec<Real>& point) {
    const Real square = max_(fma_(point.x, point.x, point.y * point.y), Real(1e-30f));
    const Real inverse = Real(1.0f) / sqrt_(square);
    const Real x = inverse * point.x;
    const Real y = inverse * point.y;
    point = {Real(target.radius) * x, Real(target.radius) * y, point.z};
    const Real side(target.kind == TargetKind::cylinder_inside ? -1.0f : 1.0f);
    return {side * x, side * y, Real(0.0f)};
}

/// Adds the rims of a cylinder. A full turn has no side rims, and grazing light on the shell is not
/// a rim either.
template <typename Real>
HELIORAY_HD void add_cylinder_rims(const TargetRecord& target,
                                   const TargetHit<Real>& hit,
                                   RimGap<Real>& rim) {
    if (target.opening_angle < 6.28318f) add_side_rims(target, hit, rim);
    add_level_rims(target, hit, rim);
}

}  // namespace helioray::kernels
