// SPDX-License-Identifier: MIT
// Compound parabolic concentrator (CPC) as surface of a receiver: z along the axis from the exit in
// the origin to the entry. Round, or the face at +y of one with flat sides. Its inside is lit.
#pragma once

#include "kernels/receiver/quadric.h"

namespace helioray::kernels {

/// Sizes of a compound parabolic concentrator, metres.
struct ConcentratorSizes {
    double exit_radius;            ///< radius of the exit; flat sides: distance from the axis
    double sine;                   ///< sine of the half angle of acceptance
    double cosine;                 ///< cosine of this angle
    double entry_radius;           ///< as exit_radius, at the entry
    double length;                 ///< from the exit to the entry
    double side_tangent;           ///< tangent of half the angle of a flat side; 0: round
    double map_width, map_height;  ///< extent of the map
};

/// Returns the record of a concentrator. map: fraction of the area below a point as a polynomial in
/// ConcentratorProfile's parameter.
inline TargetRecord concentrator_record(const ConcentratorSizes& sizes,
                                        const double (&map)[kMapTerms]) {
    TargetRecord record = plane_record(sizes.map_width, sizes.map_height);
    record.kind = TargetKind::concentrator;
    record.radius = static_cast<float>(sizes.entry_radius);
    record.opening_angle = 6.28318530717958648f;
    record.exit_radius = static_cast<float>(sizes.exit_radius);
    record.sine = static_cast<float>(sizes.sine);
    record.cosine = static_cast<float>(sizes.cosine);
    record.side_tangent = static_cast<float>(sizes.side_tangent);
    record.bottom = 0.0f;
    record.top = static_cast<float>(sizes.length);
    record.lit_inside = 1;
    for (int i = 0; i < kMapTerms; ++i) record.map[i] = static_cast<float>(map[i]);
    return record;
}

/// Distance of the wall from the axis at a height z, a parabola whose axis is tilted by the half
/// angle. With p = exit radius (1 + sine) and w = sqrt(p (p + cosine z)) it is
/// (2 w - sine cosine z - p (1 + sine)) / cosine^2, with the slope (p / w - sine) / cosine. It is
/// concave, hence the inside is convex.
struct ConcentratorProfile {
    float p, sine, cosine, per_cosine;

    HELIORAY_HD explicit ConcentratorProfile(const TargetRecord& shape)
        : p(shape.exit_radius * (1.0f + shape.sine)),
          sine(shape.sine),
          cosine(shape.cosine),
          per_cosine(1.0f / shape.cosine) {}

    template <typename Real>
    HELIORAY_HD Real parameter(Real z) const {
        return sqrt_(max_(Real(p) * fma_(Real(cosine), z, Real(p)), Real(0.0f)));
    }
    template <typename Real>
    HELIORAY_HD Real radius(Real w, Real z) const {
        const Real twice = w + w;
        return fma_(Real(-sine * cosine), z, twice - Real(p * (1.0f + sine))) *
               Real(per_cosine * per_cosine);
    }
    template <typename Real>
    HELIORAY_HD Real slope(Real w) const {
        return (Real(p) / w - Real(sine)) * Real(per_cosine);
    }
    /// Returns the derivative of the slope with respect to the height.
    template <typename Real>
    HELIORAY_HD Real slope_rate(Real w) const {
        return Real(-0.5f * p * p) / (w * w * w);
    }
    /// Returns the parameter of the map at a height: 0 at the exit, 1 at the entry.
    template <typename Real>
    HELIORAY_HD Real on_map(Real w, float length) const {
        const float last = sqrt_(p * fma_(cosine, length, p));
        return (w - Real(p)) * Real(1.0f / (last - p));
    }
};

/// Signed distance from the wall along a ray, across the axis: positive outside, a convex function
/// of the distance along the ray.
template <typename Real>
class WallDistance {
  public:
    HELIORAY_HD WallDistance(const TargetRecord& shape,
                             const NearRay<Real>& ray,
                             const Vec<Real>& r)
        : profile_(shape), ray_(ray), r_(r), is_round_(shape.side_tangent == 0.0f) {}

    /// Returns the distance at t, and its derivative.
    HELIORAY_HD Real at(Real t, Real& rate) const {
        const Vec<Real> point = add_scaled(ray_.point, t, r_);
        const Real w = profile_.parameter(point.z);
        const Real wall = profile_.radius(w, point.z);
        const Real wall_rate = profile_.slope(max_(w, Real(1e-6f))) * r_.z;
        if (!is_round_) {
            rate = r_.y - wall_rate;
            return point.y - wall;
        }
        const Real square = fma_(point.x, point.x, point.y * point.y);
        const Real radius = sqrt_(max_(square, Real(1e-20f)));
        rate = fma_(point.x, r_.x, point.y * r_.y) / radius - wall_rate;
        return radius - wall;
    }

    /// Finds the root next to `from`, a point outside, with Newton's method: it approaches the root
    /// of a convex function from there and never passes it. side: -1 where the ray enters, 1 where
    /// it leaves. Returns the rays that have such a root before `other`.
    HELIORAY_HD auto find_root(Real from, Real other, float side, Real& t) const {
        // Next to a double root every step halves the distance; the value is then exact enough
        // while the distance is not.
        constexpr int kSteps = 14;
        constexpr float kNear = 1e-4f;
        const Real zero(0.0f);
        t = from;
        Real rate;
        Real value = at(t, rate);
        const auto is_outside = value > zero;
        for (int i = 0; i < kSteps; ++i) {
            const Real steep = max_(rate * Real(side), Real(1e-9f));
            const Real next = t - max_(value, zero) / steep * Real(side);
            t = side < 0.0f ? min_(next, other) : max_(next, other);
            value = at(t, rate);
        }
        return is_outside & (abs_(value) < Real(kNear));
    }

  private:
    ConcentratorProfile profile_;
    const NearRay<Real>& ray_;
    const Vec<Real>& r_;
    bool is_round_;
};

/// Intersects a concentrator from either side, from the distance front_from on its inside and from
/// back_from on its outside. Returns the rays that meet its inside.
template <typename Real, typename Scalar>
HELIORAY_HD auto meet_concentrator(const TargetRecord& shape,
                                   const Vec<Scalar>& origin,
                                   const Vec<Real>& r,
                                   float overlap,
                                   Real front_from,
                                   Real back_from,
                                   TargetHit<Real>& hit) {
    const NearRay<Real> ray(broadcast<Real>(origin), r);
    const bool is_round = shape.side_tangent == 0.0f;
    // The wall lies within a sphere about the exit, and between two planes.
    const float corner = shape.radius * sqrt_(fma_(shape.side_tangent, shape.side_tangent, 1.0f));
    const Real reach(1.01f * sqrt_(fma_(corner, corner, shape.top * shape.top)));
    const Real bottom(shape.bottom - overlap), top(shape.top + overlap);
    const Real inverse = Real(1.0f) / select(abs_(r.z) < Real(1e-9f), Real(1e-9f), r.z);
    const Real at_bottom = (bottom - ray.point.z) * inverse;
    const Real at_top = (top - ray.point.z) * inverse;
    const Real first = max_(min_(at_bottom, at_top), -reach);
    const Real last = min_(max_(at_bottom, at_top), reach);
    const WallDistance<Real> distance(shape, ray, r);
    Real entering, leaving;
    const auto enters = distance.find_root(first, last, -1.0f, entering);
    const auto leaves = distance.find_root(last, first, 1.0f, leaving);
    const auto is_on_wall = [&](Real t, Real from) {
        auto is_there = (first <= last) & (ray.start + t > from);
        if (is_round) return is_there;
        const Real y = fma_(t, r.y, ray.point.y);
        return is_there & (abs_(fma_(t, r.x, ray.point.x)) <=
                           fma_(y, Real(shape.side_tangent), Real(overlap)));
    };
    const auto in = enters & is_on_wall(entering, back_from);
    const auto out = leaves & is_on_wall(leaving, front_from);
    const auto first_in = in & ((!out) | (entering <= leaving));
    const Real t = select(first_in, entering, leaving);
    hit.mask = in | out;
    hit.distance = ray.start + t;
    const Vec<Real> point = add_scaled(ray.point, t, r);
    if (is_round) {
        hit.across = sector_angle(ray.point, r, t);
    } else {
        const Real edge = max_(point.y, Real(1e-6f)) * Real(2.0f * shape.side_tangent);
        hit.across = point.x / edge;
    }
    const ConcentratorProfile profile(shape);
    const Real u = profile.on_map(profile.parameter(point.z), shape.top);
    hit.up = map_polynomial(shape, u) - Real(0.5f);
    return out & !first_in;
}

/// Adjoint of a hit at `point`.
template <typename Real>
HELIORAY_HD HitAdjoint<Real> concentrator_adjoint(const TargetRecord& shape,
                                                  const Vec<Real>& point,
                                                  const GradientAtHit<Real>& g) {
    const ConcentratorProfile profile(shape);
    const Real w = max_(profile.parameter(point.z), Real(1e-6f));
    const Real u = profile.on_map(w, shape.top);
    const float last = sqrt_(profile.p * fma_(profile.cosine, shape.top, profile.p));
    // dw / dz = p cosine / (2 w).
    const float rate = 0.5f * profile.p * profile.cosine / (last - profile.p);
    const Real along = g.by_up * (map_slope(shape, u) * Real(rate) / w);
    const Real slope = profile.slope(w);
    const Real zero(0.0f);
    if (shape.side_tangent == 0.0f) {
        const Real k = g.by_across * sector_slope(shape, point);
        const Real square = fma_(point.x, point.x, point.y * point.y);
        const Real radius = sqrt_(max_(square, Real(1e-20f)));
        return {{k * point.y, -(k * point.x), along}, {point.x, point.y, -(slope * radius)}};
    }
    const Real y = max_(point.y, Real(1e-6f));
    const Real across = g.by_across * Real(0.5f / shape.side_tangent) / y;
    return {{across, -(across * point.x / y), along}, {zero, Real(1.0f), -slope}};
}

/// Moves a point next to a concentrator to its inside, kMirrorGap before the wall, and returns the
/// unit normal there.
template <typename Real>
HELIORAY_HD Vec<Real> settle_on_concentrator(const TargetRecord& shape, Vec<Real>& point) {
    const ConcentratorProfile profile(shape);
    const Real w = profile.parameter(point.z);
    const Real wall = profile.radius(w, point.z);
    const Real slope = profile.slope(max_(w, Real(1e-6f)));
    const Real inverse = Real(1.0f) / sqrt_(fma_(slope, slope, Real(1.0f)));
    Vec<Real> normal;
    if (shape.side_tangent == 0.0f) {
        const Real square = max_(fma_(point.x, point.x, point.y * point.y), Real(1e-20f));
        const Real to_unit = Real(1.0f) / sqrt_(square);
        const Real x = point.x * to_unit, y = point.y * to_unit;
        point = {wall * x, wall * y, point.z};
        normal = {-(inverse * x), -(inverse * y), inverse * slope};
    } else {
        point.y = wall;
        normal = {Real(0.0f), -inverse, inverse * slope};
    }
    point = add_scaled(point, Real(kMirrorGap), normal);
    return normal;
}

}  // namespace helioray::kernels
