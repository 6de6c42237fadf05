// SPDX-License-Identifier: MIT
// Paraboloid, hyperboloid, ellipsoid: a surface of revolution about z with its vertex in the origin
// as surface of a receiver, open towards +z. Secondary mirrors have this shape.
#pragma once

#include "kernels/receiver/revolution.h"

namespace helioray::kernels {

/// Distance by which light that goes on starts before a curved mirror, metres. It is a few times
/// the rounding of float32 at 100 m, so that the start is never behind the mirror.
inline constexpr float kMirrorGap = 2e-5f;

/// Sizes of a quadric of revolution, metres.
struct QuadricSizes {
    double curvature_radius;  ///< radius of curvature at the vertex
    double conic_constant;    ///< -1: paraboloid, below: hyperboloid, above: ellipsoid
    double radius;            ///< radius of the outer rim
    double bottom, top;       ///< heights of the inner and the outer rim above the vertex
    double map_width;         ///< edge of the square map
};

/// Returns the record of a quadric. map: factor from points to the map as a polynomial in the
/// square of the distance from the axis, in radii.
inline TargetRecord quadric_record(const QuadricSizes& sizes,
                                   bool inside,
                                   const double (&map)[kMapTerms]) {
    TargetRecord record = plane_record(sizes.map_width, sizes.map_width);
    record.kind = TargetKind::quadric;
    record.radius = static_cast<float>(sizes.radius);
    record.opening_angle = 6.28318530717958648f;
    record.curvature_radius = static_cast<float>(sizes.curvature_radius);
    record.conic_constant = static_cast<float>(sizes.conic_constant);
    record.bottom = static_cast<float>(sizes.bottom);
    record.top = static_cast<float>(sizes.top);
    record.lit_inside = inside ? 1 : 0;
    for (int i = 0; i < kMapTerms; ++i) record.map[i] = static_cast<float>(map[i]);
    return record;
}

/// Returns the polynomial TargetRecord::map at x.
template <typename Real>
HELIORAY_HD Real map_polynomial(const TargetRecord& shape, Real x) {
    Real value(shape.map[kMapTerms - 1]);
    for (int i = kMapTerms - 2; i >= 0; --i) value = fma_(value, x, Real(shape.map[i]));
    return value;
}

/// Returns the derivative of the polynomial TargetRecord::map at x.
template <typename Real>
HELIORAY_HD Real map_slope(const TargetRecord& shape, Real x) {
    Real value(static_cast<float>(kMapTerms - 1) * shape.map[kMapTerms - 1]);
    for (int i = kMapTerms - 2; i >= 1; --i)
        value = fma_(value, x, Real(static_cast<float>(i) * shape.map[i]));
    return value;
}

/// Intersects x^2 + y^2 + (1 + k) z^2 = 2 R z from either side. floats: FieldView::floats with the
/// shape's outline. Returns the rays that meet its lit side.
template <typename Real, typename Scalar>
HELIORAY_HD auto meet_quadric_mirror(const TargetRecord& shape,
                                     const float* floats,
                                     const Vec<Scalar>& origin,
                                     const Vec<Real>& r,
                                     float overlap,
                                     TargetHit<Real>& hit) {
    const NearRay<Real> ray(broadcast<Real>(origin), r);
    const Vec<Real>& p = ray.point;
    const Real bend(1.0f + shape.conic_constant);
    const Real curvature(shape.curvature_radius);
    const Real slope = fma_(bend, p.z, -curvature);
    const Quadric<Real> quadric{fma_(r.x, r.x, fma_(r.y, r.y, bend * r.z * r.z)),
                                fma_(p.x, r.x, fma_(p.y, r.y, slope * r.z)),
                                fma_(p.x, p.x, fma_(p.y, p.y, (slope - curvature) * p.z))};
    Real height;
    const float* edges = shape.num_edges > 0 ? floats + shape.edges : nullptr;
    const auto front = meet_quadric(shape, quadric, ray, r, overlap, height, hit, edges);
    const Real t = hit.distance - ray.start;
    const Real x = fma_(t, r.x, p.x);
    const Real y = fma_(t, r.y, p.y);
    const float per_square = 1.0f / (shape.radius * shape.radius);
    const Real factor = map_polynomial(shape, fma_(x, x, y * y) * Real(per_square));
    // From outside, +x is on the observer's left; from inside on the right.
    const float per_width = 1.0f / shape.width;
    hit.across = x * factor * Real(shape.lit_inside != 0 ? per_width : -per_width);
    hit.up = y * factor * Real(per_width);
    return front;
}

/// Adjoint of a hit at `point`.
template <typename Real>
HELIORAY_HD HitAdjoint<Real> quadric_adjoint(const TargetRecord& shape,
                                             const Vec<Real>& point,
                                             const GradientAtHit<Real>& g) {
    const float per_square = 1.0f / (shape.radius * shape.radius);
    const float per_width = 1.0f / shape.width;
    const Real x = point.x, y = point.y;
    const Real square = fma_(x, x, y * y) * Real(per_square);
    const Real factor = map_polynomial(shape, square);
    const Real across = g.by_across * Real(shape.lit_inside != 0 ? per_width : -per_width);
    const Real up = g.by_up * Real(per_width);
    const Real to_factor = fma_(across, x, up * y);
    const Real radial = to_factor * (map_slope(shape, square) * Real(2.0f * per_square));
    const Real bend(1.0f + shape.conic_constant);
    return {{fma_(across, factor, radial * x), fma_(up, factor, radial * y), Real(0.0f)},
            {x, y, fma_(bend, point.z, Real(-shape.curvature_radius))}};
}

/// Moves a point next to a quadric to its lit side, kMirrorGap before it, and returns the unit
/// normal there.
template <typename Real>
HELIORAY_HD Vec<Real> settle_on_quadric(const TargetRecord& shape, Vec<Real>& point) {
    const Real curvature(shape.curvature_radius);
    const Real bend(1.0f + shape.conic_constant);
    const Real square = fma_(point.x, point.x, point.y * point.y);
    const Real root = sqrt_(max_(fma_(curvature, curvature, -(bend * square)), Real(0.0f)));
    const Real z = square / (curvature + root);
    const Vec<Real> outward = normalized(Vec<Real>{point.x, point.y, -root});
    const Vec<Real> normal = scaled(Real(shape.lit_inside != 0 ? -1.0f : 1.0f), outward);
    point = add_scaled(Vec<Real>{point.x, point.y, z}, Real(kMirrorGap), normal);
    return normal;
}

}  // namespace helioray::kernels
