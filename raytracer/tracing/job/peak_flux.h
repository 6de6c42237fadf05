// SPDX-License-Identifier: MIT
// Peak flux of a map with ray noise.
#pragma once

#include <cstdint>
#include <span>

namespace helioray {

/// Peak of a map, with its standard error.
struct PeakFlux {
    double flux = 0.0;       ///< peak flux in the unit of the map
    double std_error = 0.0;  ///< standard error in the unit of the map, one standard deviation
    double area_m2 = 0.0;    ///< area of the square of pixels that measures the flux, m2
};

/// Noise that neighbouring pixels share. Its covariance is a normal density of the distance, with
/// the value 1 / area_m2 at distance 0. It multiplies the variance of the mean over a large area by
/// 1 + excess, and hardly changes the variance for areas far below area_m2.
struct SharedNoise {
    /// Excess variance of large areas relative to independent pixels; 0 without shared noise.
    double excess = 0.0;
    double area_m2 = 1.0;   ///< area above which most of the excess applies, m2
    bool bilinear = false;  ///< true if every ray is spread over four pixels, as by bitmap.filter
};

/// A flux map with its standard errors and the size of its pixels.
struct NoisyMap {
    std::span<const double> flux;       ///< [height, width], row-major
    std::span<const double> std_error;  ///< same shape; empty or 0: unknown
    std::int64_t width = 0;             ///< pixels
    std::int64_t height = 0;            ///< pixels
    double pixel_width_m = 1.0;         ///< metres
    double pixel_height_m = 1.0;        ///< metres
    SharedNoise shared;                 ///< expected noise that neighbouring pixels share
    /// Map of noise alone, with the distribution of the noise of flux and independent of it, same
    /// shape; empty: unknown.
    std::span<const double> noise{};
};

/// Estimates the peak of a map: its largest flux without noise, at the scale of a pixel.
///
/// The value comes from a square of pixels, whose mean is corrected for the curvature of the flux
/// around it. The square is as large as the map's smoothness permits, so it shrinks as rays are
/// added, down to one pixel. Unlike the value of the largest pixel, the estimate is not raised by
/// noise: places are chosen with noise added and measured with independent noise, and the loss from
/// wrong places is extrapolated to zero noise. The error is the spread of the same estimate over
/// replicates that are drawn around the smooth map. The same map always gives the same numbers.
/// Without standard errors the function returns the largest pixel. It takes a few passes over the
/// map and about 10 ms.
PeakFlux estimate_peak(const NoisyMap& map);

}  // namespace helioray
