// SPDX-License-Identifier: MIT
// Model of the noise of a flux map.
#pragma once

#include "raytracer/tracing/job/box_sums.h"
#include "raytracer/tracing/job/peak_flux.h"

namespace helioray {

/// Returns the size of a box with three times the sides.
inline BoxSize three_times(const BoxSize& size) {
    return {3 * size.width, 3 * size.height};
}

/// Returns the weight of the curvature correction. The mean of a parabola over a side of w pixels
/// is below its central value by a loss in proportion to w^2 - 1.
inline double curvature_weight(const BoxSize& size) {
    return (size.pixels() - 1.0) / (8.0 * size.pixels());
}

/// Covariance of means over boxes, for pixels with a variance of 1. The noise of a pixel is
/// independent except for SharedNoise and the bilinear filter.
class NoiseModel {
  public:
    explicit NoiseModel(const NoisyMap& map);

    /// Returns the covariance of corrected means over two boxes whose centres are the given number
    /// of pixels apart. Without `with_shared`, only the independent noise of the pixels counts.
    double corrected_covariance(
        const BoxSize& a, const BoxSize& b, double across, double down, bool with_shared) const;

  private:
    double sum_covariance(
        const BoxSize& a, const BoxSize& b, double across, double down, bool with_shared) const;

    double excess_;
    double own_ = 0.0;
    double across_ = 0.0;
    double down_ = 0.0;
};

}  // namespace helioray
