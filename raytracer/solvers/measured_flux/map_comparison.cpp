// SPDX-License-Identifier: MIT
// Compares flux maps.
#include "raytracer/solvers/measured_flux/map_comparison.h"

#include "raytracer/tracing/geometry/frames.h"
#include "scenario/files/error.h"
#include "scenario/types/vector_math.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <memory>
#include <numeric>

namespace helioray {

namespace {

double sum(const std::vector<double>& map) {
    return std::accumulate(map.begin(), map.end(), 0.0);
}

void scale_to_one(std::vector<double>& map) {
    const double total = sum(map);
    for (double& value : map) value /= total;
}

double correlation(const std::vector<double>& a, const std::vector<double>& b) {
    const auto n = static_cast<double>(a.size());
    const double mean_a = sum(a) / n, mean_b = sum(b) / n;
    double ab = 0.0, aa = 0.0, bb = 0.0;
    for (size_t i = 0; i < a.size(); ++i) {
        ab += (a[i] - mean_a) * (b[i] - mean_b);
        aa += (a[i] - mean_a) * (a[i] - mean_a);
        bb += (b[i] - mean_b) * (b[i] - mean_b);
    }
    return aa > 0.0 && bb > 0.0 ? ab / std::sqrt(aa * bb) : 0.0;
}

/// Returns the largest value of the outermost pixels, relative to the largest of all.
double at_edge(const std::vector<double>& map, int64_t width, int64_t height) {
    double largest = 0.0;
    for (int64_t row = 0; row < height; ++row) {
        for (int64_t column = 0; column < width; ++column) {
            const bool inside = row > 0 && row + 1 < height && column > 0 && column + 1 < width;
            const double value = map[static_cast<size_t>(row * width + column)];
            if (!inside) largest = std::max(largest, value);
        }
    }
    return largest / *std::max_element(map.begin(), map.end());
}

/// Returns the map shifted by fractions of pixels to the right and down; bilinear, 0 outside the
/// map.
std::vector<double> moved(
    const std::vector<double>& map, int64_t width, int64_t height, double right, double down) {
    const auto at = [&](int64_t row, int64_t column) {
        const bool inside = row >= 0 && row < height && column >= 0 && column < width;
        return inside ? map[static_cast<size_t>(row * width + column)] : 0.0;
    };
    std::vector<double> result;
    result.reserve(map.size());
    for (int64_t row = 0; row < height; ++row) {
        for (int64_t column = 0; column < width; ++column) {
            const double y = static_cast<double>(row) - down;
            const double x = static_cast<double>(column) - right;
            const auto i = static_cast<int64_t>(std::floor(y));
            const auto j = static_cast<int64_t>(std::floor(x));
            const double v = y - std::floor(y), u = x - std::floor(x);
            result.push_back((1 - v) * ((1 - u) * at(i, j) + u * at(i, j + 1)) +
                             v * ((1 - u) * at(i + 1, j) + u * at(i + 1, j + 1)));
        }
    }
    return result;
}

/// Overlap of source pixels [n] with target pixels [m] of the same length, sorted by target pixel.
struct Share {
    int64_t source = 0;
    int64_t target = 0;
    double share = 0.0;  ///< Fraction of the source pixel.
};

std::vector<Share> shares(int64_t n, int64_t m) {
    const double step = static_cast<double>(m) / static_cast<double>(n);  // in target pixels
    std::vector<Share> result;
    for (int64_t i = 0; i < n; ++i) {
        const double begin = static_cast<double>(i) * step, end = begin + step;
        for (auto k = static_cast<int64_t>(begin); k < m && static_cast<double>(k) < end; ++k) {
            const double overlap =
                std::min(end, static_cast<double>(k + 1)) - std::max(begin, static_cast<double>(k));
            if (overlap > 0.0) result.push_back({i, k, overlap / step});
        }
    }
    return result;
}

}  // namespace

std::vector<double> resample(const GreyImage& image, int64_t width, int64_t height) {
    const std::vector<Share> columns = shares(image.width, width);
    const std::vector<Share> rows = shares(image.height, height);
    std::vector<double> map(static_cast<size_t>(width * height), 0.0);
    for (const Share& row : rows) {
        for (const Share& column : columns) {
            map[static_cast<size_t>(row.target * width + column.target)] +=
                row.share * column.share *
                image.values[static_cast<size_t>(row.source * image.width + column.source)];
        }
    }
    return map;
}

FluxMoments flux_moments(const Target& target,
                         const std::vector<double>& map,
                         int64_t width,
                         int64_t height) {
    const auto [extent_x, extent_y] = surface_extent(target);
    const double pixel_x = extent_x / static_cast<double>(width);
    const double pixel_y = extent_y / static_cast<double>(height);
    double total = 0.0, xx = 0.0, yy = 0.0;
    FluxMoments moments;
    for (int64_t row = 0; row < height; ++row) {
        for (int64_t column = 0; column < width; ++column) {
            const double flux = map[static_cast<size_t>(row * width + column)];
            const double x = (static_cast<double>(column) + 0.5) * pixel_x - 0.5 * extent_x;
            const double y = 0.5 * extent_y - (static_cast<double>(row) + 0.5) * pixel_y;
            total += flux;
            moments.x += flux * x;
            moments.y += flux * y;
            xx += flux * x * x;
            yy += flux * y * y;
            moments.centroid = add_scaled(moments.centroid, flux, surface_point(target, x, y));
        }
    }
    moments.x /= total;
    moments.y /= total;
    moments.centroid = scaled(1.0 / total, moments.centroid);
    moments.width_x = std::sqrt(std::max(0.0, xx / total - moments.x * moments.x));
    moments.width_y = std::sqrt(std::max(0.0, yy / total - moments.y * moments.y));
    return moments;
}

MapComparison compare_with_image(const TargetResult& computed, const GreyImage& measured) {
    const int64_t width = computed.width, height = computed.height;
    std::vector<double> ours = computed.flux;
    if (!(sum(ours) > 0.0)) {
        throw InputError(Problem{computed.target.name,
                                 "no flux was computed on this target",
                                 "there is nothing to compare",
                                 "choose another target, or check where the heliostats aim"});
    }
    std::vector<double> theirs = resample(measured, width, height);
    scale_to_one(ours);
    scale_to_one(theirs);

    MapComparison result;
    result.computed = flux_moments(computed.target, ours, width, height);
    // Use the image's own pixels, which are finer than the computed ones.
    result.measured =
        flux_moments(computed.target, measured.values, measured.width, measured.height);
    result.computed_at_edge = at_edge(ours, width, height);
    result.measured_at_edge = at_edge(theirs, width, height);
    result.correlation = correlation(ours, theirs);
    double square = 0.0;
    for (size_t i = 0; i < ours.size(); ++i) {
        square += (ours[i] - theirs[i]) * (ours[i] - theirs[i]);
        result.overlap += std::min(ours[i], theirs[i]);
    }
    const double peak = *std::max_element(theirs.begin(), theirs.end());
    result.rmse = std::sqrt(square / static_cast<double>(ours.size())) / peak;
    const auto [extent_x, extent_y] = surface_extent(computed.target);
    const double right = result.offset_x() / extent_x * static_cast<double>(width);
    const double down = -result.offset_y() / extent_y * static_cast<double>(height);
    result.aligned_correlation = correlation(ours, moved(theirs, width, height, right, down));
    return result;
}

}  // namespace helioray
