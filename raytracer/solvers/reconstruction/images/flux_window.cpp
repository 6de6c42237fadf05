// SPDX-License-Identifier: MIT
// Extracts windows of maps by linear interpolation.
#include "raytracer/solvers/reconstruction/images/flux_window.h"

#include "raytracer/solvers/reconstruction/images/convolution.h"

#include <cmath>
#include <cstdlib>
#include <numbers>

namespace helioray::reconstruction {

namespace {

/// Returns the centre of light of a map, metres to the right and up of its centre.
std::array<double, 2> centroid(const FluxMap& map) {
    double sum = 0.0, x = 0.0, y = 0.0;
    for (int64_t row = 0; row < map.height; ++row) {
        for (int64_t column = 0; column < map.width; ++column) {
            const double value = map.values[static_cast<size_t>(row * map.width + column)];
            sum += value;
            x += value *
                 ((static_cast<double>(column) + 0.5) / static_cast<double>(map.width) - 0.5);
            y -= value * ((static_cast<double>(row) + 0.5) / static_cast<double>(map.height) - 0.5);
        }
    }
    return {x / sum * map.extent[0], y / sum * map.extent[1]};
}

/// Interpolates linearly between pixel centres; returns 0 beyond the map.
double value_at(const FluxMap& map, double x, double y) {
    const double column = (x / map.extent[0] + 0.5) * static_cast<double>(map.width) - 0.5;
    const double row = (0.5 - y / map.extent[1]) * static_cast<double>(map.height) - 0.5;
    const auto j = static_cast<int64_t>(std::floor(column));
    const auto i = static_cast<int64_t>(std::floor(row));
    const double u = column - std::floor(column), v = row - std::floor(row);
    const auto at = [&](int64_t r, int64_t c) {
        const bool inside = r >= 0 && r < map.height && c >= 0 && c < map.width;
        return inside ? map.values[static_cast<size_t>(r * map.width + c)] : 0.0;
    };
    return (1 - v) * ((1 - u) * at(i, j) + u * at(i, j + 1)) +
           v * ((1 - u) * at(i + 1, j) + u * at(i + 1, j + 1));
}

constexpr int kSamples = 4;

// Weights of the Gaussian mean, 1.5 pixels wide, starting from the middle.
constexpr double kSmoothWidth = 1.5;
constexpr int kSmoothReach = 4;

std::array<double, kSmoothReach + 1> smooth_weights() {
    std::array<double, kSmoothReach + 1> weights{};
    double sum = 0.0;
    for (int i = 0; i <= kSmoothReach; ++i) {
        weights[static_cast<size_t>(i)] = std::exp(-0.5 * std::pow(i / kSmoothWidth, 2));
        sum += (i == 0 ? 1.0 : 2.0) * weights[static_cast<size_t>(i)];
    }
    for (double& weight : weights) weight /= sum;
    return weights;
}

/// Returns the Gaussian means of a window's rows and columns; values beyond its edge are 0.
std::vector<double> smoothed(const std::vector<double>& values, int pixels) {
    const auto weights = smooth_weights();
    std::vector<double> result = values;
    for (const int step : {1, pixels}) {
        const std::vector<double> from = result;
        for (int i = 0; i < pixels * pixels; ++i) {
            const int at = step == 1 ? i % pixels : i / pixels;
            double sum = 0.0;
            for (int k = -kSmoothReach; k <= kSmoothReach; ++k) {
                if (at + k < 0 || at + k >= pixels) continue;
                const int near = i + k * step;
                sum += weights[static_cast<size_t>(std::abs(k))] * from[static_cast<size_t>(near)];
            }
            result[static_cast<size_t>(i)] = sum;
        }
    }
    return result;
}

/// Sum of the squares of the weights that a window's pixels, or their Gaussian means, give to the
/// map's pixels along one axis. `middle` is that of the first pixel in the map's pixels, `step` the
/// distance from one pixel to the next.
struct AxisSquares {
    std::vector<double> single, smooth;

    AxisSquares(int pixels, double middle, double step, int64_t size) {
        const auto count = static_cast<size_t>(pixels);
        std::vector<std::vector<double>> weights(count,
                                                 std::vector<double>(static_cast<size_t>(size)));
        for (int i = 0; i < pixels; ++i) {
            for (int j = 0; j < kSamples; ++j) {
                const double at = middle + step * (i + (j + 0.5) / kSamples - 0.5);
                const auto below = static_cast<int64_t>(std::floor(at));
                const double share = at - std::floor(at);
                auto& row = weights[static_cast<size_t>(i)];
                if (below >= 0 && below < size)
                    row[static_cast<size_t>(below)] += (1.0 - share) / kSamples;
                if (below + 1 >= 0 && below + 1 < size)
                    row[static_cast<size_t>(below + 1)] += share / kSamples;
            }
        }
        const auto gaussian = smooth_weights();
        for (int i = 0; i < pixels; ++i) {
            std::vector<double> mean(static_cast<size_t>(size));
            double square = 0.0, square_of_mean = 0.0;
            for (size_t c = 0; c < mean.size(); ++c) {
                for (int k = -kSmoothReach; k <= kSmoothReach; ++k) {
                    const int near = i + k;
                    if (near < 0 || near >= pixels) continue;
                    mean[c] += gaussian[static_cast<size_t>(std::abs(k))] *
                               weights[static_cast<size_t>(near)][c];
                }
                square += std::pow(weights[static_cast<size_t>(i)][c], 2);
                square_of_mean += mean[c] * mean[c];
            }
            single.push_back(square);
            smooth.push_back(square_of_mean);
        }
    }
};

WindowNoise estimate_noise(const FluxMap& map, const std::array<double, 2>& centre, int pixels) {
    WindowNoise noise;
    if (!(map.noise > 0.0)) return noise;
    const auto squares = [&](size_t axis, int64_t size) {
        const double pixel = map.extent[axis] / static_cast<double>(size);
        // Rows are numbered downwards.
        const double middle = axis == 0 ? centre[0] : -centre[1];
        const double step = kImageExtent / pixels;
        const double first = (middle - 0.5 * kImageExtent + 0.5 * step) / pixel +
                             0.5 * static_cast<double>(size) - 0.5;
        return AxisSquares(pixels, first, step / pixel, size);
    };
    const AxisSquares columns = squares(0, map.width), rows = squares(1, map.height);
    for (size_t row = 0; row < rows.single.size(); ++row) {
        for (size_t column = 0; column < columns.single.size(); ++column) {
            noise.single.push_back(map.noise *
                                   std::sqrt(rows.single[row] * columns.single[column]));
            noise.smooth.push_back(map.noise *
                                   std::sqrt(rows.smooth[row] * columns.smooth[column]));
        }
    }
    return noise;
}

/// Returns the mean of |difference + noise| for Gaussian noise of this deviation.
double mean_of_folded(double difference, double deviation) {
    const double ratio = difference / deviation;
    return deviation * std::sqrt(2.0 / std::numbers::pi) * std::exp(-0.5 * ratio * ratio) +
           difference * std::erf(ratio / std::numbers::sqrt2);
}

}  // namespace

FluxWindow window_about_centroid(const FluxMap& map, int pixels) {
    return window_about(map, centroid(map), pixels);
}

FluxWindow window_about(const FluxMap& map, const std::array<double, 2>& centre, int pixels) {
    FluxWindow window;
    window.centre = centre;
    window.noise = estimate_noise(map, centre, pixels);
    const double pixel = kImageExtent / pixels;
    for (int row = 0; row < pixels; ++row) {
        for (int column = 0; column < pixels; ++column) {
            const double x = window.centre[0] + (column + 0.5) * pixel - 0.5 * kImageExtent;
            const double y = window.centre[1] - (row + 0.5) * pixel + 0.5 * kImageExtent;
            // A pixel that is half beyond the edge would be too dark.
            const bool seen = std::abs(x) + 0.5 * pixel <= 0.5 * map.extent[0] + 1e-9 &&
                              std::abs(y) + 0.5 * pixel <= 0.5 * map.extent[1] + 1e-9;
            double sum = 0.0;
            for (int i = 0; i < kSamples && seen; ++i) {
                for (int j = 0; j < kSamples; ++j) {
                    sum += value_at(map,
                                    x + ((j + 0.5) / kSamples - 0.5) * pixel,
                                    y + ((i + 0.5) / kSamples - 0.5) * pixel);
                }
            }
            window.values.push_back(sum / (kSamples * kSamples));
            window.seen.push_back(seen);
        }
    }
    return window;
}

double flux_accuracy(const FluxWindow& p, const FluxWindow& g) {
    double sum_p = 0.0, sum_g = 0.0;
    for (size_t i = 0; i < p.values.size(); ++i) {
        if (!p.seen[i] || !g.seen[i]) continue;
        sum_p += p.values[i];
        sum_g += g.values[i];
    }
    if (!(sum_p > 0.0) || !(sum_g > 0.0)) return 0.0;
    std::vector<double> differences(p.values.size(), 0.0);
    double sum = 0.0;
    for (size_t i = 0; i < p.values.size(); ++i) {
        if (!p.seen[i] || !g.seen[i]) continue;
        differences[i] = p.values[i] / sum_p - g.values[i] / sum_g;
        sum += std::abs(differences[i]);
    }
    if (p.noise.single.empty() && g.noise.single.empty()) return 1.0 - 0.5 * sum;
    const auto pixels = static_cast<int>(std::lround(std::sqrt(p.values.size())));
    const std::vector<double> means = smoothed(differences, pixels);
    const auto deviation = [&](std::vector<double> WindowNoise::*kind, size_t i) {
        double square = 0.0;
        if (!p.noise.single.empty()) square += std::pow((p.noise.*kind)[i] / sum_p, 2);
        if (!g.noise.single.empty()) square += std::pow((g.noise.*kind)[i] / sum_g, 2);
        return std::sqrt(square);
    };
    for (size_t i = 0; i < differences.size(); ++i) {
        if (!p.seen[i] || !g.seen[i]) continue;
        const double single = deviation(&WindowNoise::single, i);
        const double smooth = deviation(&WindowNoise::smooth, i);
        if (!(single > 0.0)) continue;
        // The means also have noise; this factor enlarges the correction so that it is exact for
        // equal windows.
        const double exact = single / (std::hypot(single, smooth) - smooth);
        const double bias = mean_of_folded(means[i], single) - std::abs(means[i]);
        sum -= exact * bias;
    }
    return 1.0 - 0.5 * sum;
}

}  // namespace helioray::reconstruction
