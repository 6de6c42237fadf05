// SPDX-License-Identifier: MIT
// Computes colours, centroid and compass directions of flux maps.
#include "app/output/plot/drawing/flux_image.h"

#include "raytracer/tracing/geometry/frames.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <concepts>
#include <numbers>

namespace helioray {

FluxUnit flux_unit(const TargetResult& target) {
    if (target.unit == "W/m2") return {1e3, "kW/m²", "Flux (kW/m²)"};
    if (target.unit == "W") return {1.0, "W per pixel", "Power per pixel (W)"};
    if (target.unit == "1") return {1.0, "per pixel", "Sum of ray weights per pixel"};
    return {1.0, target.unit, "Flux (" + target.unit + ")"};
}

double largest_flux(const TargetResult& target) {
    double largest = 0.0;
    for (const double value : target.flux) {
        if (std::isfinite(value)) largest = std::max(largest, value);
    }
    return largest;
}

double total_flux(const TargetResult& target) {
    double total = 0.0;
    for (const double value : target.flux) {
        if (std::isfinite(value)) total += value;
    }
    return total;
}

namespace {

// Returns the mean over the block of `step` x `step` pixels at (row, column), cut at the edges.
double block_mean(const TargetResult& t, int64_t row, int64_t column, int64_t step) {
    const int64_t last_row = std::min(t.height, row + step);
    const int64_t last_column = std::min(t.width, column + step);
    double sum = 0.0;
    for (int64_t i = row; i < last_row; ++i) {
        for (int64_t j = column; j < last_column; ++j) {
            sum += t.flux[static_cast<size_t>(i * t.width + j)];
        }
    }
    return sum / static_cast<double>((last_row - row) * (last_column - column));
}

}  // namespace

BlockMap block_means(const TargetResult& target, int64_t most) {
    BlockMap map;
    map.step = (std::max(target.width, target.height) + most - 1) / most;
    map.width = static_cast<int>((target.width + map.step - 1) / map.step);
    map.height = static_cast<int>((target.height + map.step - 1) / map.step);
    map.values.reserve(static_cast<size_t>(map.width) * static_cast<size_t>(map.height));
    for (int64_t row = 0; row < target.height; row += map.step) {
        for (int64_t column = 0; column < target.width; column += map.step) {
            map.values.push_back(block_mean(target, row, column, map.step));
        }
    }
    return map;
}

ColorImage flux_image(const TargetResult& target, const ColorScale& scale, double factor) {
    constexpr int64_t kLargest = 2048;
    const BlockMap map = block_means(target, kLargest);
    ColorImage image{map.width, map.height, {}};
    image.pixels.reserve(map.values.size());
    for (const double value : map.values) {
        image.pixels.push_back(packed_color(scale.color(value * factor)));
    }
    return image;
}

PixelIndex peak_pixel(const TargetResult& target) {
    PixelIndex peak{target.height / 2, target.width / 2};
    double largest = 0.0;
    for (int64_t i = 0; i < target.height * target.width; ++i) {
        const double value = target.flux[static_cast<size_t>(i)];
        if (!(value > largest) || !std::isfinite(value)) continue;
        largest = value;
        peak = {i / target.width, i % target.width};
    }
    return peak;
}

SurfacePoint pixel_position(const TargetResult& target, const PixelIndex& pixel) {
    const auto [width, height] = surface_extent(target.target);
    return {pixel_centre(pixel.column, target.width, width),
            -pixel_centre(pixel.row, target.height, height)};
}

std::optional<SurfacePoint> flux_centroid(const TargetResult& target) {
    double sum = 0.0;
    SurfacePoint moment;
    for (int64_t i = 0; i < target.height; ++i) {
        for (int64_t j = 0; j < target.width; ++j) {
            const double value = target.flux[static_cast<size_t>(i * target.width + j)];
            if (!std::isfinite(value)) continue;
            const SurfacePoint centre = pixel_position(target, {i, j});
            sum += value;
            moment.x += value * centre.x;
            moment.y += value * centre.y;
        }
    }
    if (!(sum > 0.0)) return std::nullopt;
    return SurfacePoint{moment.x / sum, moment.y / sum};
}

namespace {

// Returns the name of the nearest of eight winds; the azimuth is in radians, clockwise from north.
std::string wind(double azimuth) {
    static const std::array<const char*, 8> names{"N", "NE", "E", "SE", "S", "SW", "W", "NW"};
    const auto eighth = static_cast<int>(std::lround(azimuth / (std::numbers::pi / 4.0)));
    return names[static_cast<size_t>(((eighth % 8) + 8) % 8)];
}

// Returns the directions at the edges of a flat target.
std::vector<CompassMark> flat_marks(const Target& target) {
    const Vec3 right = target_frame(target).axes[0];
    const double azimuth = std::atan2(right[0], right[1]);
    const double width = surface_extent(target)[0];
    return {{-width / 2.0, "← " + wind(azimuth + std::numbers::pi)},
            {width / 2.0, wind(azimuth) + " →"}};
}

// Returns no directions: an annulus has no axis around which they lie.
std::vector<CompassMark> marks_around(const AnnularTarget&) {
    return {};
}

// Returns no directions: the map is a view from the axis.
std::vector<CompassMark> marks_around(const QuadricTarget&) {
    return {};
}

// Returns no directions: only some concentrators are upright.
std::vector<CompassMark> marks_around(const ConcentratorTarget&) {
    return {};
}

// Returns no directions: triangles are in the order of their file.
std::vector<CompassMark> marks_around(const MeshTarget&) {
    return {};
}

// Returns the directions around an upright cylinder, cone or sphere.
template <typename Shape>
requires(std::same_as<Shape, CylindricalTarget> || std::same_as<Shape, ConicalTarget> ||
         std::same_as<Shape, SphericalTarget>)
    std::vector<CompassMark> marks_around(const Shape& shape) {
    if (std::hypot(shape.axis[0], shape.axis[1]) > 1e-6) return {};
    // Right is anticlockwise (from above) for an observer outside, clockwise for one inside.
    const double turn = shape.side == Shape::Side::outer ? -1.0 : 1.0;
    const double middle = std::atan2(shape.normal[0], shape.normal[1]);
    const double half = shape.opening_angle / 2.0;
    const double per_angle = shape_extent(shape)[0] / shape.opening_angle;
    constexpr double kEighth = std::numbers::pi / 4.0;
    std::vector<CompassMark> marks;
    for (int k = -16; k <= 16; ++k) {
        const double angle = turn * (k * kEighth - middle);
        if (std::abs(angle) > half + 1e-9) continue;
        marks.push_back({angle * per_angle, wind(k * kEighth)});
    }
    std::sort(marks.begin(), marks.end(), [](const auto& a, const auto& b) { return a.x < b.x; });
    return marks;
}

}  // namespace

std::vector<CompassMark> compass_marks(const Target& target) {
    return std::visit(
        [&]<typename Shape>(const Shape& shape) {
            if constexpr (Shape::kIsFlat) {
                return flat_marks(target);
            } else {
                return marks_around(shape);
            }
        },
        target.geometry);
}

}  // namespace helioray
