// SPDX-License-Identifier: MIT
// Windows of maps by linear interpolation.
#include "raytracer/reconstruction/flux_window.h"

#include "raytracer/reconstruction/convolution.h"

#include <cmath>

namespace helioray::reconstruction {

namespace {

/// Where the light of a map is, metres to the right and up of its centre.
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

/// Linear between pixel centres, 0 beyond the map.
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

}  // namespace

FluxWindow window_about_centroid(const FluxMap& map, int pixels) {
    constexpr int kSamples = 4;
    FluxWindow window;
    window.centre = centroid(map);
    const double pixel = kImageExtent / pixels;
    for (int row = 0; row < pixels; ++row) {
        for (int column = 0; column < pixels; ++column) {
            const double x = window.centre[0] + (column + 0.5) * pixel - 0.5 * kImageExtent;
            const double y = window.centre[1] - (row + 0.5) * pixel + 0.5 * kImageExtent;
            // A pixel's half beyond the edge would make it darker than it is.
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
    double difference = 0.0;
    for (size_t i = 0; i < p.values.size(); ++i) {
        if (p.seen[i] && g.seen[i])
            difference += std::abs(p.values[i] / sum_p - g.values[i] / sum_g);
    }
    return 1.0 - 0.5 * difference;
}

}  // namespace helioray::reconstruction
