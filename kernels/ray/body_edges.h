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

/// Adds the outline of a cylinder: its shell, and the part of the rims at which either the cap or
/// the shell is visible from the origin. Origin and directions are in the cylinder's frame, in
/// radii and half heights.
template <typename Real>
HELIORAY_HD void pass_cylinder(const ObstacleRecord& body,
                               const Vec<float>& o,
                               const Vec<Real>& d,
                               Real limit,
                               EdgeSums<Real>& sums) {
    const Vec<float> rows[3] = {{body.axes[0], body.axes[1], body.axes[2]},
                                {body.axes[3], body.axes[4], body.axes[5]},
                                {body.axes[6], body.axes[7], body.axes[8]}};
    const float metres = 1.0f / sqrt_(dot(rows[0], rows[0]));
    const float half_height = 1.0f / sqrt_(dot(rows[2], rows[2]));
    const Vec<Real> x = broadcast<Real>(scaled(metres, rows[0]));
    const Vec<Real> y = broadcast<Real>(scaled(metres, rows[1]));
    const Vec<Real> z = broadcast<Real>(scaled(half_height, rows[2]));
    const Real radius(metres);
    const Real one(1.0f);
    const Real zero(0.0f);

    // Handle the shell, at the point where the ray is closest to the axis.
    const Real square = max_(fma_(d.x, d.x, d.y * d.y), Real(1e-20f));
    const Real inverse = one / sqrt_(square);
    const Real cross_z = fma_(Real(o.x), d.y, -(Real(o.y) * d.x));
    const Real side = select(cross_z < zero, -inverse, inverse);
    const Real closest = -(fma_(Real(o.x), d.x, Real(o.y) * d.y) / square);
    sums.add((abs_(fma_(closest, d.z, Real(o.z))) <= one) & (closest > zero) & (closest < limit),
             radius * fma_(cross_z, side, -one),
             closest,
             add_scaled(scaled(side * d.y, x), -(side * d.x), y));

    // Handle the rims, at the point where the ray crosses the plane of the cap.
    const Real upward = select(d.z < zero, -one, one);
    const Real oz = upward * Real(o.z);
    const Real dz = max_(abs_(d.z), Real(1e-9f));
    for (int cap = -1; cap <= 1; cap += 2) {
        const Real meets = (Real(static_cast<float>(cap)) - oz) / dz;
        const Real px = fma_(meets, d.x, Real(o.x));
        const Real py = fma_(meets, d.y, Real(o.y));
        const Real rho = sqrt_(max_(fma_(px, px, py * py), Real(1e-20f)));
        const Real cx = px / rho;
        const Real cy = py / rho;
        // Components of the direction: outward from the axis, and through the cap.
        const Real outward = fma_(cx, d.x, cy * d.y) * radius;
        const Real through = dz * Real(half_height);
        const Real length = one / sqrt_(fma_(outward, outward, through * through));
        const Real beyond = radius * (rho - one);
        const Real distance = meets - beyond * outward * (length * length);
        const typename EdgeSums<Real>::Mask is_outline =
            cap < 0 ? (oz < -one) & (outward > zero) : (oz < one) & (outward < zero);
        const Vec<Real> radial = add_scaled(scaled(cx, x), cy, y);
        const Vec<Real> gap = add_scaled(scaled(through, radial), -(outward * upward), z);
        sums.add(is_outline & (distance > zero) & (distance < limit),
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
        pass_cylinder(body, o, local, limit, sums);
    }
}

}  // namespace helioray::kernels
