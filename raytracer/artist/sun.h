// SPDX-License-Identifier: MIT
// ARTIST's random ray distortions: the stream of Torch's CPU generator, drawn row by row.
#pragma once

#include <ATen/core/Generator.h>
#include <ATen/core/Tensor.h>

#include <cstdint>

namespace helioray::artist {

/// The numbers of one draw of a tensor [rows, rays, points, 2] of normal distortions, last axis
/// (up, east), handed out in order without ever holding the whole tensor. Equal seeds and sizes
/// give equal numbers (P16): as in ARTIST, every group starts again. Torch fills 16 values at a
/// time, and if the total is not a multiple of 16 it draws the last 16 afresh; pieces are cut so
/// that both stay as in one draw.
class DistortionStream {
  public:
    /// @param seed  low 32 bits initialise MT19937
    /// @param total number of values of the whole tensor
    /// @param mean, sigma radians, both axes alike
    DistortionStream(uint64_t seed, int64_t total, double mean, double sigma);

    /// The next `count` values, float32 [count] on the CPU, radians.
    at::Tensor take(int64_t count);

    /// Leaves out the next `count` values.
    void skip(int64_t count);

    /// An independent copy that continues from here.
    DistortionStream fork() const;

  private:
    void refill();
    int64_t available(int64_t count);  // at least 1, at most count, refilled when needed

    at::Generator generator_;
    int64_t undrawn_;
    double mean_;
    double sigma_;
    at::Tensor buffer_;      // standard normals drawn but not all taken
    int64_t num_taken_ = 0;  // of the buffer
};

}  // namespace helioray::artist
