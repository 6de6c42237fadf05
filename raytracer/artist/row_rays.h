// SPDX-License-Identifier: MIT
// The rays of one active heliostat: surface points, reflected directions, chunks of scattered rays.
#pragma once

#include "raytracer/artist/sun.h"
#include "raytracer/artist/surface.h"
#include "raytracer/artist/targets.h"

#include <functional>

namespace helioray::artist {

/// r = d - 2 (d . n) n for every normal; no check which side is lit.
/// @param incident [4], normals [P, 4] -> [P, 4]
at::Tensor reflect(const at::Tensor& incident, const at::Tensor& normals);

/// Some rays of one heliostat, on the device of the trace.
struct RayChunk {
    Components origins;     ///< [1, P] metres
    Components directions;  ///< [R, P]
    Hits hits;              ///< [R, P]
};

/// Properties shared by all rays of one row.
struct RowRays {
    const Target* target = nullptr;
    Components origins;    ///< [1, P]
    Components reflected;  ///< [1, P] preferred directions
    int64_t rays_per_point = 0;
    double magnitude = 1.0;
    int64_t width = 0;  ///< of the bitmap
    int64_t height = 0;

    int64_t num_points() const { return origins[0].size(1); }

    /// Calls `body` with all rays, some rays per point at a time so that memory stays small. On the
    /// CPU chunks are of one size whatever the number of threads, and bodies run on several threads
    /// at once.
    /// @param stream distortions of this row come next, in the order ray, point
    void for_each_chunk(DistortionStream& stream,
                        const std::function<void(const RayChunk&)>& body) const;
};

/// Aligned surface points and reflected directions of one row.
/// @param surface     in the mirror frame, CPU
/// @param orientation [4, 4], CPU
/// @param incident    [4], CPU
RowRays make_row_rays(const SurfacePoints& surface,
                      const at::Tensor& orientation,
                      const at::Tensor& incident,
                      at::Device device);

}  // namespace helioray::artist
