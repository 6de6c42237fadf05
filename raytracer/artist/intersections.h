// SPDX-License-Identifier: MIT
// Where rays meet planar and cylindrical targets, in bitmap coordinates.
#pragma once

#include "raytracer/artist/components.h"
#include "scenario/types.h"

namespace helioray::artist {

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

}  // namespace helioray::artist
