// SPDX-License-Identifier: MIT
// Hits of rays on cones and spheres about z with their middle at +y, from either side. Only
// surfaces of receivers have these shapes.
#pragma once

#include "kernels/receiver/cylinder.h"

namespace helioray::kernels {

/// A ray in the frame of a surface, counted from a point close to the surface, so that the numbers
/// of float32 are those of the receiver and not those of the distance.
template <typename Real>
struct NearRay {
    Vec<Real> point;  ///< point of the ray closest to the origin of the frame, metres
    Real start;       ///< distance of that point along the ray, metres

    HELIORAY_HD NearRay(const Vec<Real>& origin, const Vec<Real>& r) {
        start = -dot(origin, r) / dot(r, r);
        point = add_scaled(origin, start, r);
    }
};

/// Coefficients of a t^2 + 2 b t + c along a NearRay, which is negative within the body.
template <typename Real>
struct Quadric {
    Real a, b, c;
};

/// Limits of a sector of a surface of revolution.
struct SectorLimits {
    float bottom, top;    ///< heights of the rims, metres
    float turns;          ///< angle of the sector in turns, for the map
    float reach;          ///< largest angle from its middle, turns; above 1/2 for a full turn
    float across_factor;  ///< TargetHit::across per turn

    HELIORAY_HD SectorLimits(const TargetRecord& shape, float overlap) {
        constexpr float kPerTurn = 0.159154943091895336f;
        const float given = shape.opening_angle * kPerTurn;
        // A full turn must not lose a sliver by rounding.
        turns = given > 0.999999f ? 1.0f : given;
        reach = turns == 1.0f ? 1.0f : 0.5f * turns + overlap * kPerTurn / shape.radius;
        bottom = shape.bottom - overlap;
        top = shape.top + overlap;
        // From outside, +x is on the observer's left; from inside on the right.
        across_factor = (shape.lit_inside != 0 ? 1.0f : -1.0f) / turns;
    }
};

/// Sets `hit` to the first of the two points where rays cross a quadric within the limits, except
/// `up`; height is set to the height of that point. edges: those of the shape's outline, if it has
/// one. Returns the rays that meet the lit side.
template <typename Real>
HELIORAY_HD auto meet_quadric(const TargetRecord& shape,
                              const Quadric<Real>& q,
                              const NearRay<Real>& ray,
                              const Vec<Real>& r,
                              float overlap,
                              Real& height,
                              TargetHit<Real>& hit,
                              const float* edges = nullptr) {
    const Real zero(0.0f);
    const SectorLimits limits(shape, overlap);
    const Real discriminant = fma_(q.b, q.b, -(q.a * q.c));
    const Real root = sqrt_(max_(discriminant, zero));
    // Without cancellation: one root is w / a and the other c / w.
    const auto is_ahead = q.b >= zero;
    const Real w = select(is_ahead, -(q.b + root), root - q.b);
    const Real by_a = w / q.a, by_w = q.c / w;
    const Real entering = select(is_ahead, by_a, by_w);
    const Real leaving = select(is_ahead, by_w, by_a);
    const auto on_surface = [&](Real t, Real& angle, Real& z) {
        z = fma_(t, r.z, ray.point.z);
        angle = sector_angle(ray.point, r, t);
        auto inside = (ray.start + t > zero) & (z >= Real(limits.bottom)) &
                      (z <= Real(limits.top)) & (abs_(angle) <= Real(limits.reach));
        if (edges == nullptr) return inside;
        // An outline bounds the view along the axis.
        const float right = (shape.lit_inside != 0 ? 1.0f : -1.0f) / shape.width;
        const Real across = fma_(t, r.x, ray.point.x) * Real(right);
        const Real up = fma_(t, r.y, ray.point.y) * Real(1.0f / shape.height);
        const float* edge = edges;
        for (int32_t i = 0; i < shape.num_edges; ++i, edge += 3)
            inside = inside &
                     (fma_(Real(edge[0]), across, Real(edge[1]) * up) <= Real(edge[2] + overlap));
        return inside;
    };
    Real angle_in, angle_out, z_in, z_out;
    const auto meets = discriminant >= zero;
    const auto in = meets & on_surface(entering, angle_in, z_in);
    const auto out = meets & on_surface(leaving, angle_out, z_out);
    const auto first_in = in & ((!out) | (entering <= leaving));
    hit.mask = in | out;
    hit.distance = ray.start + select(first_in, entering, leaving);
    hit.across = select(first_in, angle_in, angle_out) * Real(limits.across_factor);
    height = select(first_in, z_in, z_out);
    return shape.lit_inside != 0 ? out & !first_in : first_in;
}

}  // namespace helioray::kernels
