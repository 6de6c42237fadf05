// SPDX-License-Identifier: MIT
// The part of a flux map about its centre of light, and how alike two such parts are.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

namespace helioray::reconstruction {

/// A map of any size in rows from the top, of an extent in metres: width, height.
struct FluxMap {
    int64_t width = 0;               ///< pixels
    int64_t height = 0;              ///< pixels
    std::array<double, 2> extent{};  ///< metres
    std::vector<double> values;      ///< [height * width]
    double noise = 0.0;              ///< standard deviation of a pixel, in units of `values`
};

/// Standard deviations of a window's pixels by the noise of its map: of single pixels, and of their
/// Gaussian means over neighbours. [pixels * pixels], or empty where the map has none.
struct WindowNoise {
    std::vector<double> single;  ///< standard deviations of single pixels
    std::vector<double> smooth;  ///< standard deviations of Gaussian means over neighbours
};

/// Square pixels about the centre of light, in rows from the top.
struct FluxWindow {
    std::vector<double> values;      ///< of pixels that are seen, else 0
    std::vector<bool> seen;          ///< within the map; others have the value 0
    std::array<double, 2> centre{};  ///< metres to the right and up of the map's centre
    WindowNoise noise{};             ///< in units of `values`
};

/// Window of kImageExtent metres and `pixels` along each edge. Every pixel is the mean of 4 x 4
/// values that are interpolated linearly. The map's sum is above 0.
FluxWindow window_about_centroid(const FluxMap& map, int pixels);

/// As window_about_centroid(), about any place in metres to the right and up of the map's centre.
FluxWindow window_about(const FluxMap& map, const std::array<double, 2>& centre, int pixels);

/// Pixels along each edge of the windows that flux_accuracy() compares.
inline constexpr int kAccuracyPixels = 64;

/// 1 - 1/2 sum |p - g| over the pixels that both windows see, each scaled to the sum 1: 1 where
/// they are equal, 0 where they have no light in common.
///
/// Noise makes |p - g| larger than it is without: where both are equal its mean is 0.8 standard
/// deviations. The number is corrected for this bias, by the mean of |d + noise| - |d| for Gaussian
/// noise, d the difference of the windows' smooth means. It still scatters with the noise, and may
/// exceed 1 by that.
double flux_accuracy(const FluxWindow& p, const FluxWindow& g);

}  // namespace helioray::reconstruction
