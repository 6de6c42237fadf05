// SPDX-License-Identifier: MIT
// Computes centroids of flux images.
#include "raytracer/solvers/calibration/field_records.h"
#include "raytracer/solvers/measured_flux/map_comparison.h"
#include "raytracer/tracing/geometry/frames.h"

#include <algorithm>
#include <cmath>

namespace helioray::calibration {

namespace {

constexpr double kNoiseLimit = 4.0;   // standard deviations of the background
constexpr double kShareOfPeak = 0.1;  // fraction of the peak above the background
constexpr double kWindow = 2.5;       // standard deviations of the spot
// A Gaussian spot that the image's rim cuts at this fraction of its peak appears shifted inwards by
// an eighth of its standard deviation.
constexpr double kMostAtRim = 0.3;
constexpr double kSmallestContrast = 0.05;  // fraction of full scale

double median(std::vector<double> values) {
    const auto middle = values.begin() + static_cast<long>(values.size() / 2);
    std::nth_element(values.begin(), middle, values.end());
    return *middle;
}

/// Background and its noise, from the pixels along the rim.
struct Background {
    double level = 0.0;
    double noise = 0.0;
};

Background estimate_background(const GreyImage& image) {
    std::vector<double> rim;
    const int64_t depth = std::max<int64_t>(1, std::min(image.width, image.height) / 32);
    for (int64_t row = 0; row < image.height; ++row) {
        for (int64_t column = 0; column < image.width; ++column) {
            const bool inside = row >= depth && row < image.height - depth && column >= depth &&
                                column < image.width - depth;
            if (!inside)
                rim.push_back(image.values[static_cast<size_t>(row * image.width + column)]);
        }
    }
    Background result;
    result.level = median(rim);
    std::vector<double> deviations;
    for (const double value : rim) deviations.push_back(std::abs(value - result.level));
    result.noise = 1.4826 * median(std::move(deviations));
    return result;
}

struct Moments {
    double x = 0.0, y = 0.0, width_x = 0.0, width_y = 0.0, sum = 0.0;
};

/// Returns the largest mean of three neighbouring pixels of the rim within the spot's window, above
/// the background.
double brightest_at_rim(const GreyImage& image, double background, const Moments& spot) {
    const auto inside = [&](int64_t row, int64_t column) {
        const double x = (static_cast<double>(column) + 0.5) / static_cast<double>(image.width);
        const double y = (static_cast<double>(row) + 0.5) / static_cast<double>(image.height);
        return std::abs(x - spot.x) <= kWindow * spot.width_x &&
               std::abs(y - spot.y) <= kWindow * spot.width_y;
    };
    const auto light = [&](int64_t row, int64_t column) {
        return image.values[static_cast<size_t>(row * image.width + column)] - background;
    };
    double most = 0.0;
    for (const int64_t row : {int64_t{0}, image.height - 1}) {
        for (int64_t column = 1; column + 1 < image.width; ++column) {
            if (!inside(row, column)) continue;
            most = std::max(
                most, (light(row, column - 1) + light(row, column) + light(row, column + 1)) / 3.0);
        }
    }
    for (const int64_t column : {int64_t{0}, image.width - 1}) {
        for (int64_t row = 1; row + 1 < image.height; ++row) {
            if (!inside(row, column)) continue;
            most = std::max(
                most, (light(row - 1, column) + light(row, column) + light(row + 1, column)) / 3.0);
        }
    }
    return most;
}

}  // namespace

ImageSpot spot_of_image(const std::filesystem::path& path, const Target& target) {
    const GreyImage image = read_grey_png(path, BlackPicture::allow);
    const Background background = estimate_background(image);
    const double peak = *std::max_element(image.values.begin(), image.values.end());
    if (peak - background.level < std::max(kSmallestContrast, kNoiseLimit * background.noise))
        return {{}, "shows no spot above its background"};
    const double threshold =
        std::max(kNoiseLimit * background.noise, kShareOfPeak * (peak - background.level));
    // Use coordinates from 0 to 1, so that pixels need not be square. The window follows the spot.
    Moments spot{0.5, 0.5, 1e3, 1e3, 0.0};
    for (int pass = 0; pass < 8; ++pass) {
        Moments next;
        double xx = 0.0, yy = 0.0;
        for (int64_t row = 0; row < image.height; ++row) {
            for (int64_t column = 0; column < image.width; ++column) {
                const double light = image.values[static_cast<size_t>(row * image.width + column)] -
                                     background.level;
                if (light < threshold) continue;
                const double x =
                    (static_cast<double>(column) + 0.5) / static_cast<double>(image.width);
                const double y =
                    (static_cast<double>(row) + 0.5) / static_cast<double>(image.height);
                if (std::abs(x - spot.x) > kWindow * spot.width_x ||
                    std::abs(y - spot.y) > kWindow * spot.width_y) {
                    continue;
                }
                next.sum += light;
                next.x += light * x;
                next.y += light * y;
                xx += light * x * x;
                yy += light * y * y;
            }
        }
        if (next.sum == 0.0) break;
        next.x /= next.sum;
        next.y /= next.sum;
        next.width_x = std::sqrt(std::max(xx / next.sum - next.x * next.x, 1e-6));
        next.width_y = std::sqrt(std::max(yy / next.sum - next.y * next.y, 1e-6));
        const bool settled = std::hypot(next.x - spot.x, next.y - spot.y) < 1e-5;
        spot = next;
        if (settled) break;
    }
    if (brightest_at_rim(image, background.level, spot) > kMostAtRim * (peak - background.level))
        return {{}, "shows a spot that its rim cuts off, so that nobody knows where its centre is"};
    const auto [width, height] = surface_extent(target);
    return {surface_point(target, (spot.x - 0.5) * width, (0.5 - spot.y) * height), {}};
}

}  // namespace helioray::calibration
