// SPDX-License-Identifier: MIT
// Extracts the part of a flux map about its centre of light and compares two such parts.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

namespace helioray::reconstruction {

/// A map of any size in rows from the top. Its extent is width and height in metres.
struct FluxMap {
    int64_t width = 0;               ///< Number of columns, pixels.
    int64_t height = 0;              ///< Number of rows, pixels.
    std::array<double, 2> extent{};  ///< Width and height, m.
    std::vector<double> values;      ///< Values [height * width].
    double noise = 0.0;              ///< Standard deviation of a pixel, in units of `values`.
};

/// Standard deviations of a window's pixels due to the noise of its map: of single pixels, and of
/// their Gaussian means over neighbours. [pixels * pixels], or empty if the map has no noise.
struct WindowNoise {
    std::vector<double> single;  ///< Standard deviations of single pixels.
    std::vector<double> smooth;  ///< Standard deviations of Gaussian means over neighbours.
};

/// Square window about the centre of light, in rows from the top.
struct FluxWindow {
    std::vector<double> values;  ///< Values of the pixels within the map, otherwise 0.
    std::vector<bool> seen;      ///< Pixels that lie within the map.
    /// Centre of the window, m to the right and up of the map's centre.
    std::array<double, 2> centre{};
    WindowNoise noise{};  ///< Noise, in units of `values`.
};

/// Extracts a window of kImageExtent metres with `pixels` along each edge. Every pixel is the mean
/// of 4 x 4 values from linear interpolation. The map's sum must be above 0.
FluxWindow window_about_centroid(const FluxMap& map, int pixels);

/// Extracts a window as window_about_centroid() does, about any point in metres to the right and up
/// of the map's centre.
FluxWindow window_about(const FluxMap& map, const std::array<double, 2>& centre, int pixels);

/// Number of pixels along each edge of the windows that flux_accuracy() compares.
inline constexpr int kAccuracyPixels = 64;

/// Computes the flux accuracy 1 - 1/2 sum |p - g| over the pixels that both windows see, each
/// scaled to the sum 1. It is 1 if the windows are equal and 0 if their light does not overlap.
///
/// Noise increases |p - g|: for equal windows its mean is 0.8 standard deviations. The result is
/// corrected for this bias by the mean of |d + noise| - |d| for Gaussian noise, where d is the
/// difference of the windows' smooth means. The result still scatters with the noise and may
/// therefore exceed 1.
double flux_accuracy(const FluxWindow& p, const FluxWindow& g);

}  // namespace helioray::reconstruction
