// SPDX-License-Identifier: MIT
// Intersections of rays with planes and cylinders.
#include "raytracer/artist/targets.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/atan2.h>
#include <ATen/ops/full_like.h>
#include <ATen/ops/ones_like.h>
#include <ATen/ops/stack.h>
#include <ATen/ops/where.h>
#include <ATen/ops/zeros_like.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace helioray::artist {
double max_intensity(const Target& target) {
    return visit_known(
        target,
        [](const PlanarTarget& plane) {
            return std::max(1.0, std::hypot(plane.normal[0], plane.normal[1], plane.normal[2]));
        },
        [](const CylindricalTarget&) { return 1.0; });
}

namespace {

using Float3 = std::array<float, 3>;

Float3 to_float(const Vec3& v) {
    return {static_cast<float>(v[0]), static_cast<float>(v[1]), static_cast<float>(v[2])};
}

Float3 cross(const Float3& a, const Float3& b) {
    return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}

at::Tensor between(const at::Tensor& x, double low, double high) {
    return x.ge(low).logical_and_(x.le(high));
}

// Returns the smallest positive solution of qa t^2 + qb t + qc = 0, or infinity if there is none.
at::Tensor first_positive_root(const at::Tensor& qa, const at::Tensor& qb, const at::Tensor& qc) {
    const at::Tensor disc = qb * qb - 4 * qa * qc;
    const at::Tensor usable = disc.ge(0).logical_and_(qa.abs().gt(1e-8));
    const at::Tensor root = (disc + 1e-12).clamp_min(0).sqrt();
    const at::Tensor denominator = at::where(usable, 2 * qa, at::full_like(qa, 1.0));
    const at::Tensor none = at::full_like(qa, std::numeric_limits<float>::infinity());
    const auto positive = [&](const at::Tensor& numerator) {
        const at::Tensor t = numerator / denominator;
        return at::where(usable.logical_and(t.gt(0)), t, none);
    };
    return positive(-qb - root).minimum(positive(-qb + root));
}

}  // namespace

Hits intersect_plane(const PlanarTarget& plane,
                     const Components& origins,
                     const Components& directions,
                     double magnitude,
                     int64_t width,
                     int64_t height) {
    const Float3 center = to_float(plane.center), normal = to_float(plane.normal);
    const auto w = static_cast<float>(plane.width), h = static_cast<float>(plane.height);
    const at::Tensor k = dot(directions, normal);
    const at::Tensor front = k.lt(0);
    const at::Tensor height_above =
        dot({center[0] - origins[0], center[1] - origins[1], center[2] - origins[2]}, normal);
    const at::Tensor zero = at::zeros_like(k);
    const at::Tensor t = at::where(front, height_above / k, zero);

    const at::Tensor e = (origins[0] + t * directions[0] - center[0] + w / 2) / w * (width - 1);
    const at::Tensor u = (origins[2] + t * directions[2] - center[2] + h / 2) / h * (height - 1);
    const at::Tensor valid = between(e, 0, static_cast<double>(width - 1))
                                 .logical_and_(between(u, 0, static_cast<double>(height - 1)))
                                 .logical_and_(front);
    // Mirrored after missing rays were set to 0, so missing rays have the last column.
    return {(width - 1) - at::where(valid, e, zero),
            at::where(valid, u, zero),
            at::where(valid, t, zero),
            at::where(valid, -k * magnitude, zero)};
}

Hits intersect_cylinder(const CylindricalTarget& cylinder,
                        const Components& origins,
                        const Components& directions,
                        double magnitude,
                        int64_t width,
                        int64_t height) {
    const Float3 center = to_float(cylinder.center), axis = to_float(cylinder.axis);
    const Float3 normal = to_float(cylinder.normal), side = cross(normal, axis);
    const auto radius = static_cast<float>(cylinder.radius);
    const auto length = static_cast<float>(cylinder.height);
    const auto opening = static_cast<float>(cylinder.opening_angle);

    // Convert to the cylinder's frame: side, normal, axis.
    const Components from_center = {
        origins[0] - center[0], origins[1] - center[1], origins[2] - center[2]};
    const at::Tensor ox = dot(from_center, side), oy = dot(from_center, normal),
                     oz = dot(from_center, axis);
    const at::Tensor rx = dot(directions, side), ry = dot(directions, normal),
                     rz = dot(directions, axis);

    const at::Tensor t = first_positive_root(
        rx * rx + ry * ry, 2 * (ox * rx + oy * ry), ox * ox + oy * oy - radius * radius);
    const at::Tensor hit = t.isfinite();
    const at::Tensor zero = at::zeros_like(t);
    const at::Tensor distance = at::where(hit, t, zero);
    const at::Tensor x = ox + distance * rx, y = oy + distance * ry, z = oz + distance * rz;
    const at::Tensor to_surface = (x * x + y * y).sqrt().clamp_min(1e-12);
    const at::Tensor cosine = -(rx * x + ry * y) / to_surface;

    // Uses the world's azimuth of the normal, although x and y are local (P28).
    const float start = std::atan2(normal[1], normal[0]) - opening / 2;
    const at::Tensor angle = at::atan2(y, x) - start;
    const at::Tensor up = z + length / 2;
    const at::Tensor valid =
        between(up, 0, length).logical_and_(between(angle, 0, opening)).logical_and_(hit);
    return {at::where(valid, angle / opening * (width - 1), zero),
            at::where(valid, up / length * (height - 1), zero),
            at::where(valid, distance, zero),
            at::where(valid, magnitude * cosine.clamp_min(0), zero)};
}

Hits intersect(const Target& target,
               const Components& origins,
               const Components& directions,
               double magnitude,
               int64_t width,
               int64_t height) {
    return visit_known(
        target,
        [&](const PlanarTarget& plane) {
            return intersect_plane(plane, origins, directions, magnitude, width, height);
        },
        [&](const CylindricalTarget& cylinder) {
            return intersect_cylinder(cylinder, origins, directions, magnitude, width, height);
        });
}

}  // namespace helioray::artist
