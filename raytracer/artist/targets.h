// SPDX-License-Identifier: MIT
// Target areas in ARTIST's terms: where rays meet them, and their bitmaps, exact fixed-point sums
// that do not depend on the order of rays.
#pragma once

#include "raytracer/artist/transforms.h"
#include "scenario/types.h"

#include <ATen/core/Tensor.h>

#include <stdexcept>
#include <type_traits>

namespace helioray::artist {

/// Whether ARTIST's model has a target's shape: planes and cylinders.
inline bool is_known(const Target& target) {
    return std::holds_alternative<PlanarTarget>(target.geometry) ||
           std::holds_alternative<CylindricalTarget>(target.geometry);
}

/// Calls the function that takes the target's shape. Throws std::logic_error for a shape that is
/// not known; the checks before a run refuse it.
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

/// Largest factor by which a ray's magnitude can grow at the target: 1, or the length of a plane's
/// normal (P27).
double max_intensity(const Target& target);

/// All tensors have the shape of the ray directions.
struct Hits {
    at::Tensor e;  ///< bitmap column coordinate, 0 = east edge
    at::Tensor u;  ///< bitmap row coordinate from the bottom
    at::Tensor
        distance;  ///< metres, may be negative for planes (P26); 0 where the target is missed
    at::Tensor
        intensity;  ///< magnitude times cosine at the target (P23, P30); 0 where it is missed
};

/// A ray's bitmap coordinates on a plane are measured along the world's e and u axes, whatever the
/// plane's orientation (P24, P25); the normal is used as stored (P27). Missing rays get e = W - 1.
Hits intersect_plane(const PlanarTarget& plane,
                     const Components& origins,
                     const Components& directions,
                     double magnitude,
                     int64_t width,
                     int64_t height);

/// Convex side only. The world azimuth of the normal is subtracted from a local angle, so only
/// north-facing cylinders are mapped right (P28); sectors above pi lose a part (P29).
Hits intersect_cylinder(const CylindricalTarget& cylinder,
                        const Components& origins,
                        const Components& directions,
                        double magnitude,
                        int64_t width,
                        int64_t height);

/// The one that fits the target.
Hits intersect(const Target& target,
               const Components& origins,
               const Components& directions,
               double magnitude,
               int64_t width,
               int64_t height);

/// Bilinear deposit: each ray's intensity is spread over four pixels in proportion to its distance
/// from their centres, every share rounded once to int64 at `scale`. Rays whose four pixels are not
/// all inside are dropped, as are coordinates exactly at the last column or row.
/// @param e, u float32, one shape: column from the east edge, row from the bottom
/// @param intensity float32, same shape
/// @return int64 [height, width], row 0 = top
at::Tensor splat(const at::Tensor& e,
                 const at::Tensor& u,
                 const at::Tensor& intensity,
                 int64_t width,
                 int64_t height,
                 double scale);

/// Largest power of two so that `total`, the sum of the intensities of all rays, stays below 2^61
/// in fixed point; at most 2^44.
double fixed_point_scale(double total);

}  // namespace helioray::artist
