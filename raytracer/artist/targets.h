// SPDX-License-Identifier: MIT
// Target areas as in ARTIST: intersections with rays, and bitmaps as exact fixed-point sums that do
// not depend on the order of rays.
#pragma once

#include "raytracer/artist/transforms.h"
#include "scenario/types/types.h"

#include <ATen/core/Tensor.h>

#include <stdexcept>
#include <type_traits>

namespace helioray::artist {

/// Returns true for shapes that ARTIST's model has: planes and cylinders.
inline bool is_known(const Target& target) {
    return std::holds_alternative<PlanarTarget>(target.geometry) ||
           std::holds_alternative<CylindricalTarget>(target.geometry);
}

/// Calls the function for the target's shape. Throws std::logic_error for an unknown shape, which
/// the checks before a run refuse.
template <typename OnPlane, typename OnCylinder>
auto visit_known(const Target& target, const OnPlane& on_plane, const OnCylinder& on_cylinder) {
    using Result = std::invoke_result_t<OnPlane, const PlanarTarget&>;
    return std::visit(
        [&]<typename Shape>(const Shape& shape) -> Result {
            if constexpr (std::is_same_v<Shape, PlanarTarget>) {
                return on_plane(shape);
            } else if constexpr (std::is_same_v<Shape, CylindricalTarget>) {
                return on_cylinder(shape);
            } else {
                throw std::logic_error(
                    "model artist met a target of a shape that it does not know");
            }
        },
        target.geometry);
}

/// Returns the largest factor by which a ray's magnitude can grow at the target: 1, or the length
/// of a plane's normal (P27).
double max_intensity(const Target& target);

/// Intersections of rays with a target. All tensors have the shape of the ray directions.
struct Hits {
    at::Tensor e;          ///< bitmap column coordinate, 0 = east edge
    at::Tensor u;          ///< bitmap row coordinate from the bottom
    at::Tensor distance;   ///< metres, may be negative for planes (P26); 0 if the ray misses
    at::Tensor intensity;  ///< magnitude times cosine at the target (P23, P30); 0 if the ray misses
};

/// Intersects rays with a plane. A ray's bitmap coordinates are measured along the world's e and u
/// axes for any orientation of the plane (P24, P25); the normal is used as stored (P27). Missing
/// rays have e = W - 1.
Hits intersect_plane(const PlanarTarget& plane,
                     const Components& origins,
                     const Components& directions,
                     double magnitude,
                     int64_t width,
                     int64_t height);

/// Intersects rays with the convex side of a cylinder. The world azimuth of the normal is
/// subtracted from a local angle, so only north-facing cylinders are mapped correctly (P28);
/// sectors above pi lose a part (P29).
Hits intersect_cylinder(const CylindricalTarget& cylinder,
                        const Components& origins,
                        const Components& directions,
                        double magnitude,
                        int64_t width,
                        int64_t height);

/// Intersects rays with a target of either shape.
Hits intersect(const Target& target,
               const Components& origins,
               const Components& directions,
               double magnitude,
               int64_t width,
               int64_t height);

/// Deposits intensities bilinearly: each ray's intensity is distributed over four pixels in
/// proportion to its distance from their centres, every part rounded once to int64 at `scale`. Rays
/// whose four pixels are not all inside are dropped, as are coordinates exactly at the last column
/// or row.
/// @param e, u float32, one shape: column from the east edge, row from the bottom
/// @param intensity float32, same shape
/// @return int64 [height, width], row 0 = top
at::Tensor splat(const at::Tensor& e,
                 const at::Tensor& u,
                 const at::Tensor& intensity,
                 int64_t width,
                 int64_t height,
                 double scale);

/// Returns the largest power of two for which `total`, the sum of the intensities of all rays,
/// stays below 2^61 in fixed point; at most 2^44.
double fixed_point_scale(double total);

}  // namespace helioray::artist
