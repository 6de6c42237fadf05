// SPDX-License-Identifier: MIT
// A part of a sphere between two latitudes as surface of a receiver: z along its axis, y through
// the sector's middle.
#pragma once

#include "kernels/receiver/revolution.h"

namespace helioray::kernels {

/// Returns the record of the part of a sphere between two heights; all in metres.
inline TargetRecord sphere_record(
    double radius, double bottom, double top, double opening_angle, bool inside) {
    TargetRecord record = plane_record(radius * opening_angle, top - bottom);
    record.kind = TargetKind::sphere;
    record.radius = static_cast<float>(radius);
    record.opening_angle = static_cast<float>(opening_angle);
    record.bottom = static_cast<float>(bottom);
    record.top = static_cast<float>(top);
    record.lit_inside = inside ? 1 : 0;
    return record;
}

/// Intersects a sphere from either side. Returns the rays that meet its lit side.
template <typename Real, typename Scalar>
HELIORAY_HD auto meet_sphere(const TargetRecord& shape,
                             const Vec<Scalar>& origin,
                             const Vec<Real>& r,
                             float overlap,
                             TargetHit<Real>& hit) {
    const NearRay<Real> ray(broadcast<Real>(origin), r);
    const Vec<Real>& p = ray.point;
    const Quadric<Real> quadric{
        dot(r, r), dot(p, r), dot(p, p) - Real(shape.radius * shape.radius)};
    Real height;
    const auto front = meet_quadric(shape, quadric, ray, r, overlap, height, hit);
    // Rows of the map are heights along the axis, which have equal areas.
    hit.up = fma_(height - Real(shape.bottom), Real(1.0f / shape.height), Real(-0.5f));
    return front;
}

/// Adjoint of a hit at `point`.
template <typename Real>
HELIORAY_HD HitAdjoint<Real> sphere_adjoint(const TargetRecord& shape,
                                            const Vec<Real>& point,
                                            const GradientAtHit<Real>& g) {
    const float side = shape.lit_inside != 0 ? 1.0f : -1.0f;
    const Real k = g.by_across * (Real(side) * sector_slope(shape, point));
    return {{k * point.y, -(k * point.x), g.by_up * Real(1.0f / shape.height)}, point};
}

/// Moves a point next to a sphere onto it and returns the unit normal of its lit side there.
template <typename Real>
HELIORAY_HD Vec<Real> settle_on_sphere(const TargetRecord& shape, Vec<Real>& point) {
    const Vec<Real> outward = normalized(point);
    point = scaled(Real(shape.radius), outward);
    return scaled(Real(shape.lit_inside != 0 ? -1.0f : 1.0f), outward);
}

}  // namespace helioray::kernels
