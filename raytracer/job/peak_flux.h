// SPDX-License-Identifier: MIT
// The largest flux of a map that rays have made noisy.
#pragma once

#include <cstdint>
#include <span>

namespace helioray {

/// Largest mean flux over an area of a map, with its standard error.
struct PeakFlux {
    double flux = 0.0;       ///< unit of the map
    double std_error = 0.0;  ///< unit of the map, one standard deviation
    double area_m2 = 0.0;    ///< area of the rectangle over which the flux is averaged, m2
};

/// Noise that neighbouring pixels share: the variance of the mean over an area is that of
/// independent pixels times 1 + excess * (1 - exp(-area / area_m2)).
struct SharedNoise {
    double excess = 0.0;    ///< of large areas; 0: pixels are independent
    double area_m2 = 1.0;   ///< from which on most of the excess counts, m2
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

/// Estimates the peak of a map: the largest mean of the true flux over any square (as far as pixels
/// allow) of the area that the result states. The area is the largest one over which the map shows
/// no curvature beyond its noise, so it shrinks as rays are added, down to one pixel. Unlike the
/// largest pixel, the estimate is not raised by noise: places are chosen with noise added and
/// measured with independent noise, and what the wrong places lose is extrapolated to no noise.
/// The same map gives the same numbers. Without standard errors it returns the largest pixel. Cost:
/// some passes over the map.
PeakFlux estimate_peak(const NoisyMap& map);

}  // namespace helioray
