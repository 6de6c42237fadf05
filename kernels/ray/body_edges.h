// SPDX-License-Identifier: MIT
// Derivative of light that crosses the edges of bodies, carried by the rays that pass beside them.
//
// A ray contributes while its gap s to a body is above 0. When something moves, the loss changes by
// the integral of delta(s) ds over all rays. edge_density() replaces delta and is 0 for hidden
// rays. Only its integral and its first moment matter to first order, so the error is of the order
// of the reach squared.
#pragma once

#include "kernels/core/trace_types.h"
#include "kernels/core/vec.h"

namespace helioray::kernels {

/// Returns the density per metre of the gap between a ray and an edge, over (0, reach) metres: (4 -
/// 6 s / reach) / reach. Its integral is 1 and its first moment is 0.
template <typename Real>
HELIORAY_HD Real edge_density(Real gap, Real reach) {
    const Real inverse = Real(1.0f) / reach;
    return fma_(gap * inverse, Real(-6.0f), Real(4.0f)) * inverse;
}

/// Sums the density of edges beside rays, times the derivatives of the gap.
template <typename Real>
struct EdgeSums {
    using Mask = typename LaneTraits<Real>::Mask;

    Real reach;              ///< metres
    Vec<Real> by_origin;     ///< per metre: density times d gap / d origin
    Vec<Real> by_direction;  ///< density times d gap / d origin, per metre

    HELIORAY_HD explicit EdgeSums(float metres)
        : reach(metres),
          by_origin(broadcast<Real>(Vec<float>{})),
          by_direction(broadcast<Real>(Vec<float>{})) {}

    /// Adds an edge that the rays of the mask pass at `distance`. outward: unit vector from the
    /// edge to the ray, perpendicular to the ray.
    HELIORAY_HD void add(Mask beside, Real gap, Real distance, const Vec<Real>& outward) {
        const auto counts = beside & (gap > Real(0.0f)) & (gap < reach);
        const Real density = select(counts, edge_density(gap, reach), Real(0.0f));
        by_origin = add_scaled(by_origin, density, outward);
        by_direction = add_scaled(by_direction, density * distance, outward);
    }
};

/// Adds the edges of a box that separate a face that is visible from the origin from one that is
/// not. Origin and directions d are in the box's frame, in half extents.
template <typename Real>
HELIORAY_HD void pass_box(const ObstacleRecord& body,
                          const Vec<float>& origin,
                          const Vec<Real>& direction,
                          Real limit,
                          EdgeSums<Real>& sums) {
    // Reflect every axis so that the ray enters at -1 and leaves at 1.
    const Real components[3] = {direction.x, direction.y, direction.z};
    const float origins[3] = {origin.x, origin.y, origin.z};
    Real o[3], d[3];
    Vec<Real> axis[3];
    Real square[3];  // squared half extents, metres^2
    for (int i = 0; i < 3; ++i) {
        const Real side = select(components[i] < Real(0.0f), Real(-1.0f), Real(1.0f));
        const int first = 3 * i;
        const Vec<float> row{body.axes[first], body.axes[first + 1], body.axes[first + 2]};
        o[i] = side * Real(origins[i]);
        d[i] = side * components[i];
        axis[i] = scaled(side, broadcast<Real>(row));
        square[i] = Real(1.0f / dot(row, row));
    }
    const Real one(1.0f);
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) {
            if (i == j) continue;
            // At the entry into the slab of i, the ray is (beyond / d_i) outside the slab of j.
            const Real beyond = fma_(o[j] - one, d[i], -((one + o[i]) * d[j]));
            const Vec<Real> across = add_scaled(scaled(d[i], axis[j]), -d[j], axis[i]);
            const Real length_square = dot(across, across);
            const typename LaneTraits<Real>::Mask near =
                (beyond > Real(0.0f)) &
                (beyond * beyond < sums.reach * sums.reach * length_square) & (o[i] < -one) &
                (o[j] < one);
            if (!any(near)) continue;
            const Real inverse = one / sqrt_(max_(length_square, Real(1e-30f)));
            // Compute the point of the ray that is closest to the edge.
            const Real along = d[i] * d[i] * square[i] + d[j] * d[j] * square[j];
            const Real distance =
                ((-one - o[i]) * d[i] * square[i] + (one - o[j]) * d[j] * square[j]) /
                max_(along, Real(1e-20f));
            const int k = 3 - i - j;
            const Real end = abs_(fma_(distance, d[k], o[k]));
            sums.add(near & (end <= one) & (distance > Real(0.0f)) & (distance < limit),
                     beyond * inverse,
                     distance,
                     scaled(inverse, across));
        }
    }
}

/// Sizes and unit axes of a cylinder or cone.
template <typename Real>
struct RoundBody {
    float radius;       ///< radius at half the height, metres
    float half_height;  ///< metres
    float taper;        ///< ObstacleRecord::taper
    float slope;        ///< change of the radius per metre of height
    float tilt;         ///< cosine of the angle between the shell and the axis
    Vec<Real> x;        ///< unit vector across the axis
    Vec<Real> y;        ///< unit vector across the axis and x
    Vec<Real> z;        ///< unit vector from the lower to the upper end

    HELIORAY_HD explicit RoundBody(const ObstacleRecord& body) : taper(body.taper) {
        const Vec<float> rows[3] = {{body.axes[0], body.axes[1], body.axes[2]},
                                    {body.axes[3], body.axes[4], body.axes[5]},
                                    {body.axes[6], body.axes[7], body.axes[8]}};
        radius = 1.0f / sqrt_(dot(rows[0], rows[0]));
        half_height = 1.0f / sqrt_(dot(rows[2], rows[2]));
        slope = taper * radius / half_height;
        tilt = 1.0f / sqrt_(fma_(slope, slope, 1.0f));
        x = broadcast<Real>(scaled(radius, rows[0]));
        y = broadcast<Real>(scaled(radius, rows[1]));
        z = broadcast<Real>(scaled(half_height, rows[2]));
    }
};

/// Adds the line of the shell of a cylinder or cone that rays pass, at the point where they are
/// nearest to the shell. Origin and directions as in pass_round().
template <typename Real>
HELIORAY_HD void pass_shell(const RoundBody<Real>& body,
                            const Vec<float>& o,
                            const Vec<Real>& d,
                            Real limit,
                            EdgeSums<Real>& sums) {
    const Real one(1.0f);
    const Real zero(0.0f);
    const Real least(1e-20f);
    const Real square = max_(fma_(d.x, d.x, d.y * d.y), least);
    const Real inverse = one / sqrt_(square);
    const Real cross_z = fma_(Real(o.x), d.y, -(Real(o.y) * d.x));
    const Real side = select(cross_z < zero, -inverse, inverse);
    const Real axis_distance = cross_z * side;
    const Real closest_to_axis = -(fma_(Real(o.x), d.x, Real(o.y) * d.y) / square);
    // The radius grows by `growth` along the ray, so the ray is nearest to the shell where its
    // distance from the axis grows as much. Rays steeper than the shell have no such point.
    const Real growth = Real(body.taper) * d.z;
    const Real flatness = square - growth * growth;
    const Real level = sqrt_(max_(flatness, least));
    const Real distance = fma_(growth * axis_distance, inverse / level, closest_to_axis);
    const Real radius = fma_(Real(body.taper), fma_(closest_to_axis, d.z, Real(o.z)), one);
    const Real beyond = fma_(axis_distance, level * inverse, -radius);
    // Unit vector from the axis to the ray.
    const Real across = side * (level * inverse);
    const Real along = growth * (inverse * inverse);
    const Real x = fma_(across, d.y, along * d.x);
    const Real y = fma_(-across, d.x, along * d.y);
    const Vec<Real> radial = add_scaled(scaled(x, body.x), y, body.y);
    sums.add((flatness > least) & (abs_(fma_(distance, d.z, Real(o.z))) <= one) &
                 (distance > zero) & (distance < limit),
             Real(body.radius * body.tilt) * beyond,
             distance,
             scaled(Real(body.tilt), add_scaled(radial, Real(-body.slope), body.z)));
}

/// Adds the outline of a cylinder or cone: its shell, and the part of the rims at which either the
/// cap or the shell is visible from the origin. Origin and directions are in the body's frame, in
/// radii and half heights.
template <typename Real>
HELIORAY_HD void pass_round(const ObstacleRecord& record,
                            const Vec<float>& o,
                            const Vec<Real>& d,
                            Real limit,
                            EdgeSums<Real>& sums) {
    const RoundBody<Real> body(record);
    const Real radius(body.radius);
    const Real one(1.0f);
    const Real zero(0.0f);
    pass_shell(body, o, d, limit, sums);

    // Handle the rims, at the point where the ray crosses the plane of the cap.
    const Real upward = select(d.z < zero, -one, one);
    const Real oz = upward * Real(o.z);
    const Real dz = max_(abs_(d.z), Real(1e-9f));
    for (int cap = -1; cap <= 1; cap += 2) {
        const Real rim = fma_(Real(body.taper * static_cast<float>(cap)), upward, one);
        const Real meets = (Real(static_cast<float>(cap)) - oz) / dz;
        const Real px = fma_(meets, d.x, Real(o.x));
        const Real py = fma_(meets, d.y, Real(o.y));
        const Real rho = sqrt_(max_(fma_(px, px, py * py), Real(1e-20f)));
        const Real cx = px / rho;
        const Real cy = py / rho;
        // Components of the direction: outward from the axis, through the cap, and along the
        // shell's normal.
        const Real outward = fma_(cx, d.x, cy * d.y) * radius;
        const Real through = dz * Real(body.half_height);
        const Real leaving = fma_(Real(-body.slope), upward * through, outward);
        const Real length = one / sqrt_(fma_(outward, outward, through * through));
        const Real beyond = radius * (rho - rim);
        const Real distance = meets - beyond * outward * (length * length);
        const typename EdgeSums<Real>::Mask is_outline =
            cap < 0 ? (oz < -one) & (leaving > zero) : (oz < one) & (leaving < zero);
        const Vec<Real> radial = add_scaled(scaled(cx, body.x), cy, body.y);
        const Vec<Real> gap = add_scaled(scaled(through, radial), -(outward * upward), body.z);
        sums.add(is_outline & (rim > zero) & (distance > zero) & (distance < limit),
                 beyond * through * length,
                 distance,
                 scaled(length, gap));
    }
}

/// Adds the edges of a body beside rays with unit direction d from the origin, at distances in (0,
/// limit). For rays that miss the body.
template <typename Real>
HELIORAY_HD void pass_body(const ObstacleRecord& body,
                           const Vec<float>& origin,
                           const Vec<Real>& d,
                           Real limit,
                           EdgeSums<Real>& sums) {
    const Vec<float> o = rotate(body.axes, origin - to_vec(body.center));
    const Vec<Real> local = rotate(body.axes, d);
    if (body.kind == ObstacleRecord::Kind::box) {
        pass_box(body, o, local, limit, sums);
    } else {
        pass_round(body, o, local, limit, sums);
    }
}

}  // namespace helioray::kernels
