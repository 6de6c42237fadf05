// SPDX-License-Identifier: MIT
// Peak flux of a map that rays have made noisy.
#pragma once

#include <cstdint>
#include <span>

namespace helioray {

/// Peak of a map, with its standard error.
struct PeakFlux {
    double flux = 0.0;       ///< unit of the map
    double std_error = 0.0;  ///< unit of the map, one standard deviation
    double area_m2 = 0.0;    ///< area of the square of pixels that measures the flux, m2
};

/// Noise that neighbouring pixels share. Its covariance is a normal density of the distance, whose
/// value at 0 is 1 / area_m2: it multiplies the variance of the mean over a large area by
/// 1 + excess, and hardly changes that of areas far below area_m2.
struct SharedNoise {
    double excess = 0.0;    ///< variance of large areas beyond that of independent pixels; 0: none
    double area_m2 = 1.0;   ///< area from which on most of the excess counts, m2
    bool bilinear = false;  ///< every ray is spread over four pixels, as by bitmap.filter
};

/// A map of flux with what is known of its noise.
struct NoisyMap {
    std::span<const double> flux;       ///< [height, width], row-major
    std::span<const double> std_error;  ///< same shape; empty or 0: unknown
    std::int64_t width = 0;             ///< pixels
    std::int64_t height = 0;            ///< pixels
    double pixel_width_m = 1.0;         ///< metres
    double pixel_height_m = 1.0;        ///< metres
    SharedNoise shared;                 ///< of the pixels
};

/// Estimates the peak of a map: its largest flux without noise, at the scale of a pixel.
///
/// The value comes from a square of pixels, whose mean is corrected for the curvature of the flux
/// around it. The square is as large as the map's smoothness permits, so it shrinks as rays are
/// added, down to one pixel. Unlike the largest pixel, the estimate is not raised by noise: places
/// are chosen with noise added and measured with independent noise, and what the wrong places lose
/// is extrapolated to no noise. The error is the spread of the same estimate over replicates that
/// are drawn around the smooth map. The same map gives the same numbers. Without standard errors it
/// returns the largest pixel. Cost: some passes over the map, and about 10 ms.
PeakFlux estimate_peak(const NoisyMap& map);

}  // namespace helioray
