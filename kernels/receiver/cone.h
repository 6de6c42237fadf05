// SPDX-License-Identifier: MIT
// A sector of a cone or frustum as surface of a receiver: z along the axis from the bottom to the
// top, the origin in the middle, y through the sector's middle.
#pragma once

#include "kernels/receiver/revolution.h"

namespace helioray::kernels {

/// Returns the record of a frustum; radii, height and extent of the map in metres.
inline TargetRecord cone_record(double bottom_radius,
                                double top_radius,
                                double height,
                                double opening_angle,
                                bool inside,
                                double map_width,
                                double map_height) {
    TargetRecord record = plane_record(map_width, map_height);
    record.kind = TargetKind::cone;
    record.radius = static_cast<float>(bottom_radius > top_radius ? bottom_radius : top_radius);
    record.opening_angle = static_cast<float>(opening_angle);
    record.bottom_radius = static_cast<float>(bottom_radius);
    record.top_radius = static_cast<float>(top_radius);
    record.bottom = static_cast<float>(-0.5 * height);
    record.top = static_cast<float>(0.5 * height);
    record.lit_inside = inside ? 1 : 0;
    return record;
}

/// Radius of a cone as a linear function of the height above its middle.
struct ConeProfile {
    float middle;    ///< radius in the middle, metres
    float widening;  ///< change of the radius per metre of height

    HELIORAY_HD explicit ConeProfile(const TargetRecord& shape) {
        middle = 0.5f * (shape.bottom_radius + shape.top_radius);
        widening = (shape.top_radius - shape.bottom_radius) / (shape.top - shape.bottom);
    }
    template <typename Real>
    HELIORAY_HD Real radius(Real height) const {
        return fma_(Real(widening), height, Real(middle));
    }
};

/// Intersects a cone from either side. Returns the rays that meet its lit side.
template <typename Real, typename Scalar>
HELIORAY_HD auto meet_cone(const TargetRecord& shape,
                           const Vec<Scalar>& origin,
                           const Vec<Real>& r,
                           float overlap,
                           TargetHit<Real>& hit) {
    const NearRay<Real> ray(broadcast<Real>(origin), r);
    const ConeProfile profile(shape);
    const Vec<Real>& p = ray.point;
    const Real radius = profile.radius(p.z);
    const Real growth = Real(profile.widening) * r.z;
    const Quadric<Real> quadric{fma_(r.x, r.x, fma_(r.y, r.y, -(growth * growth))),
                                fma_(p.x, r.x, fma_(p.y, r.y, -(growth * radius))),
                                fma_(p.x, p.x, fma_(p.y, p.y, -(radius * radius)))};
    Real height;
    const auto front = meet_quadric(shape, quadric, ray, r, overlap, height, hit);
    // Rows of the map have equal areas: up to the height s (0 to 1) lies the fraction
    // s (2 b + (t - b) s) / (b + t) of the area, with the radii b and t.
    const float both = shape.bottom_radius + shape.top_radius;
    const Real s = (height - Real(shape.bottom)) / Real(shape.top - shape.bottom);
    const Real double_radius =
        fma_(Real(shape.top_radius - shape.bottom_radius), s, Real(2.0f * shape.bottom_radius));
    hit.up = fma_(s * double_radius, Real(1.0f / both), Real(-0.5f));
    return front;
}

/// Adjoint of a hit at `point`.
template <typename Real>
HELIORAY_HD HitAdjoint<Real> cone_adjoint(const TargetRecord& shape,
                                          const Vec<Real>& point,
                                          const GradientAtHit<Real>& g) {
    const ConeProfile profile(shape);
    const Real radius = profile.radius(point.z);
    // The derivative of the fraction of the area below a height is proportional to the radius.
    const float middle = (shape.bottom_radius + shape.top_radius) * (shape.top - shape.bottom);
    const float side = shape.lit_inside != 0 ? 1.0f : -1.0f;
    const Real k = g.by_across * (Real(side) * sector_slope(shape, point));
    return {{k * point.y, -(k * point.x), g.by_up * (radius * Real(2.0f / middle))},
            {point.x, point.y, Real(-profile.widening) * radius}};
}

/// Moves a point next to a cone onto it and returns the unit normal of its lit side there.
template <typename Real>
HELIORAY_HD Vec<Real> settle_on_cone(const TargetRecord& shape, Vec<Real>& point) {
    const ConeProfile profile(shape);
    const Real square = max_(fma_(point.x, point.x, point.y * point.y), Real(1e-30f));
    const Real inverse = Real(1.0f) / sqrt_(square);
    const Real x = inverse * point.x;
    const Real y = inverse * point.y;
    const Real radius = profile.radius(point.z);
    point = {radius * x, radius * y, point.z};
    const float slope = 1.0f / sqrt_(fma_(profile.widening, profile.widening, 1.0f));
    const float side = shape.lit_inside != 0 ? -slope : slope;
    return {Real(side) * x, Real(side) * y, Real(-side * profile.widening)};
}

}  // namespace helioray::kernels
