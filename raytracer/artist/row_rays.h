// SPDX-License-Identifier: MIT
// Rays of one active heliostat: surface points, reflected directions, and chunks of rays that are
// scattered by the stream of Torch's CPU generator, drawn row by row as in ARTIST.
#pragma once

#include "raytracer/artist/surface.h"
#include "raytracer/artist/targets.h"

#include <ATen/core/Generator.h>
#include <ATen/core/Tensor.h>

#include <cstdint>
#include <functional>

namespace helioray::artist {

/// Returns, piece by piece, the numbers of one draw of a tensor [rows, rays, points, 2] of normal
/// distortions, last axis (up, east), without storing the whole tensor. Equal seeds and sizes give
/// equal numbers (P16): as in ARTIST, every group starts again. Torch fills 16 values at a time,
/// and if the total is not a multiple of 16 it redraws the last 16; pieces are cut so that both
/// remain as in one draw.
class DistortionStream {
  public:
    /// @param seed  low 32 bits initialise MT19937
    /// @param total number of values of the whole tensor
    /// @param mean, sigma radians, both axes alike
    DistortionStream(uint64_t seed, int64_t total, double mean, double sigma);

    /// Returns the next `count` values, float32 [count] on the CPU, radians.
    at::Tensor take(int64_t count);

    /// Skips the next `count` values.
    void skip(int64_t count);

    /// Returns an independent copy that continues from here.
    DistortionStream fork() const;

  private:
    void refill();
    int64_t available(int64_t count);  // returns at least 1 and at most count; refills when needed

    at::Generator generator_;
    int64_t undrawn_;
    double mean_;
    double sigma_;
    at::Tensor buffer_;      // standard normals that have been drawn
    int64_t num_taken_ = 0;  // number of values taken from the buffer
};

/// Returns r = d - 2 (d . n) n for every normal, without checking which side is lit.
/// @param incident [4], normals [P, 4] -> [P, 4]
at::Tensor reflect(const at::Tensor& incident, const at::Tensor& normals);

/// Rays of one heliostat on the device of the trace.
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
    int64_t width = 0;  ///< width of the bitmap, pixels
    int64_t height = 0;

    int64_t num_points() const { return origins[0].size(1); }

    /// Calls `body` with all rays, a few rays per point at a time to limit memory. On the CPU the
    /// size of chunks does not depend on the number of threads, and bodies run concurrently.
    /// @param stream distortions of this row come next, in the order ray, point
    void for_each_chunk(DistortionStream& stream,
                        const std::function<void(const RayChunk&)>& body) const;
};

/// Returns the aligned surface points and reflected directions of one row.
/// @param surface     in the mirror frame, CPU
/// @param orientation [4, 4], CPU
/// @param incident    [4], CPU
RowRays make_row_rays(const SurfacePoints& surface,
                      const at::Tensor& orientation,
                      const at::Tensor& incident,
                      at::Device device);

}  // namespace helioray::artist
