// SPDX-License-Identifier: MIT
// Makes the cells of targets.
#include "raytracer/solvers/aiming/model/receiver_grid.h"

#include "raytracer/tracing/geometry/frames.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <stdexcept>

namespace helioray::aiming {

namespace {

// With two free coordinates, the time of the bound grows with the fourth power of this number.
constexpr int64_t kMostCellsOfPlane = 32;
// Number of bins along a side of a cell. Linear interpolation between bins blurs the image by h /
// sqrt(6).
constexpr int kBinsOfColumn = 4;
constexpr int kBinsOfPlane = 2;
/// Number of sample points along each side of a cell that determine its lit fraction.
constexpr int kProbes = 8;
// Openings above this value are full cylinders; the tolerance covers rounding of the file's
// float32.
constexpr double kFullTurn = 2.0 * std::numbers::pi * (1.0 - 1e-6);

/// Returns a / b rounded down.
int64_t divide_down(int64_t a, int64_t b) {
    return a / b - (a % b < 0 ? 1 : 0);
}

// Properties of the shapes of targets. Each function has an overload for every flat shape and one
// for shapes that are unrolled, so that a new flat shape does not compile before it has them.

template <typename Shape>
concept Unrolled = !Shape::kIsFlat;

constexpr double kUnlimited = std::numeric_limits<double>::infinity();
double room_beside(const PlanarTarget&) {
    return kUnlimited;
}
double room_beside(const DiscTarget&) {
    return kUnlimited;
}
double room_beside(const MeshTarget&) {
    return kUnlimited;
}
double room_beside(const CylindricalTarget& cylinder) {
    return std::max(0.0, 0.5 * cylinder.radius * (kFullTurn - cylinder.opening_angle));
}

double room_beside(const QuadricTarget&) {
    return 0.0;
}

/// Returns the length of the map beside a sector, on each side, up to a full turn.
template <Unrolled Sector>
double room_beside(const Sector& sector) {
    const double width = shape_extent(sector)[0];
    return std::max(0.0, 0.5 * width * (kFullTurn / sector.opening_angle - 1.0));
}

/// Returns true if aim points can move across the surface.
bool is_free_across(const PlanarTarget&) {
    return true;
}
bool is_free_across(const DiscTarget&) {
    return true;
}
bool is_free_across(const MeshTarget&) {
    return true;
}

bool is_free_across(const QuadricTarget&) {
    return true;
}

template <Unrolled Sector>
bool is_free_across(const Sector& sector) {
    return sector.opening_angle < kFullTurn;
}

/// Returns the point of a map of this size that is within the rim and closest to `point`.
SurfacePoint clamp_to_map(const std::array<double, 2>& extent, SurfacePoint point) {
    return {std::clamp(point.x, -0.5 * extent[0], 0.5 * extent[0]),
            std::clamp(point.y, -0.5 * extent[1], 0.5 * extent[1])};
}
template <Unrolled Shape>
SurfacePoint clamp_to_rim(const Shape& shape, SurfacePoint point) {
    return clamp_to_map(shape_extent(shape), point);
}
SurfacePoint clamp_to_rim(const PlanarTarget& plane, SurfacePoint point) {
    return clamp_to_map(shape_extent(plane), point);
}
SurfacePoint clamp_to_circle(double radius, SurfacePoint point) {
    const double shrink = std::min(1.0, radius / std::max(std::hypot(point.x, point.y), 1e-12));
    return {point.x * shrink, point.y * shrink};
}
SurfacePoint clamp_to_rim(const DiscTarget& disc, SurfacePoint point) {
    return clamp_to_circle(disc.radius, point);
}
SurfacePoint clamp_to_rim(const QuadricTarget& quadric, SurfacePoint point) {
    return clamp_to_circle(0.5 * shape_extent(quadric)[0], point);
}

/// Returns true if a point of the map is within the rim.
bool is_on_map(const std::array<double, 2>& extent, const SurfacePoint& p) {
    return std::abs(p.x) <= 0.5 * extent[0] && std::abs(p.y) <= 0.5 * extent[1];
}
template <Unrolled Shape>
bool is_within_rim(const Shape& shape, const SurfacePoint& p) {
    return is_on_map(shape_extent(shape), p);
}
bool is_within_rim(const PlanarTarget& plane, const SurfacePoint& p) {
    return is_on_map(shape_extent(plane), p);
}
bool is_within_rim(const DiscTarget& disc, const SurfacePoint& p) {
    return std::hypot(p.x, p.y) <= disc.radius;
}
bool is_within_rim(const QuadricTarget& quadric, const SurfacePoint& p) {
    const double distance = std::hypot(p.x, p.y);
    return distance >= quadric.inner_radius && distance <= 0.5 * shape_extent(quadric)[0];
}

TargetShape enlarged_shape(PlanarTarget plane, double width, double height) {
    plane.width = width;
    plane.height = height;
    return plane;
}
TargetShape enlarged_shape(const DiscTarget& disc, double width, double height) {
    return PlanarTarget{disc.center, disc.normal, width, height};
}
TargetShape enlarged_shape(CylindricalTarget cylinder, double width, double height) {
    cylinder.opening_angle *= width / shape_extent(cylinder)[0];
    cylinder.height = height;
    return cylinder;
}

template <Unrolled Shape>
TargetShape enlarged_shape(const Shape&, double, double) {
    throw std::invalid_argument("light beside a surface of this shape has no map");
}

/// Returns the point of the unrolled surface for a point in the target's frame.
SurfacePoint unrolled_point(const PlanarTarget&, const Vec3& p) {
    return {p[0], p[1]};
}
SurfacePoint unrolled_point(const DiscTarget&, const Vec3& p) {
    return {p[0], p[1]};
}
SurfacePoint unrolled_point(const CylindricalTarget& cylinder, const Vec3& p) {
    const double side = cylinder.side == CylindricalTarget::Side::inner ? 1.0 : -1.0;
    return {side * cylinder.radius * std::atan2(p[0], p[1]), p[2]};
}

template <Unrolled Shape>
SurfacePoint unrolled_point(const Shape& shape, const Vec3& p) {
    const auto [x, y] = place_on_map(shape, p);
    return {x, y};
}

/// Sets the fraction of each cell on which light counts.
void set_lit_shares(const Target& target, const TargetConfig& extras, ReceiverGrid& grid) {
    grid.lit_share.assign(grid.num_cells(), 1.0);
    for (int c = 0; c < grid.columns; ++c) {
        for (int r = 0; r < grid.rows; ++r) {
            int lit = 0;
            for (int i = 0; i < kProbes * kProbes; ++i) {
                const int across = i % kProbes, down = i / kProbes;
                const double u = c + (across + 0.5) / kProbes;
                const double v = r + (down + 0.5) / kProbes;
                const SurfacePoint p{u * grid.cell_width() - 0.5 * grid.width,
                                     0.5 * grid.height - v * grid.cell_height()};
                lit += is_lit(target, extras, p) ? 1 : 0;
            }
            grid.lit_share[grid.cell(c, r)] = static_cast<double>(lit) / (kProbes * kProbes);
        }
    }
}

}  // namespace

double room_beside(const Target& target) {
    return std::visit([](const auto& shape) { return room_beside(shape); }, target.geometry);
}

bool is_lit(const Target& target, const TargetConfig& extras, const SurfacePoint& p) {
    if (!std::visit([&](const auto& shape) { return is_within_rim(shape, p); }, target.geometry))
        return false;
    const auto& outline = extras.outline;
    for (size_t i = 0; i < outline.size(); ++i) {
        const auto& a = outline[i];
        const auto& b = outline[(i + 1) % outline.size()];
        if ((b[0] - a[0]) * (p.y - a[1]) - (b[1] - a[1]) * (p.x - a[0]) < 0.0) return false;
    }
    return true;
}

std::optional<size_t> ReceiverGrid::cell_of_pixel(int64_t column,
                                                  int64_t row,
                                                  const BitmapConfig& bitmap) const {
    const int64_t across = columns - 2 * columns_beyond, down = rows - 2 * rows_beyond;
    const int64_t c = divide_down((2 * column + 1) * across, 2 * bitmap.width) + columns_beyond;
    const int64_t r = divide_down((2 * row + 1) * down, 2 * bitmap.height) + rows_beyond;
    if (c < 0 || c >= columns || r < 0 || r >= rows) return std::nullopt;
    return cell(static_cast<int>(c), static_cast<int>(r));
}

ReceiverGrid make_grid(const Target& target,
                       size_t index,
                       const TargetConfig& extras,
                       const BitmapConfig& bitmap,
                       double margin,
                       const PixelsBeyond& beyond) {
    ReceiverGrid grid;
    grid.target = index;
    const auto extent = surface_extent(target);
    grid.width = extent[0];
    grid.height = extent[1];
    grid.free_x =
        std::visit([](const auto& shape) { return is_free_across(shape); }, target.geometry);
    const int64_t most = grid.free_x ? kMostCellsOfPlane : int64_t{kMostCells};
    // If there are more pixels than cells, use a number of cells that divides the pixels evenly, if
    // possible.
    const auto cells = [&](int64_t pixels) {
        if (pixels <= most) return static_cast<int>(pixels);
        for (int64_t n = most; n >= most / 2; --n)
            if (pixels % n == 0) return static_cast<int>(n);
        return static_cast<int>(most);
    };
    grid.columns = cells(bitmap.width);
    grid.rows = cells(bitmap.height);
    grid.bins = grid.free_x ? kBinsOfPlane : kBinsOfColumn;
    // Use more bins for few cells, because bins should not be wider than images.
    const int few = std::min(grid.rows, grid.free_x ? grid.columns : grid.rows);
    while (few * grid.bins < 64) grid.bins *= 2;
    grid.margin = static_cast<int>(std::ceil(margin / grid.cell_height()));
    if (grid.free_x) {
        grid.margin_across = static_cast<int>(std::ceil(margin / grid.cell_width()));
        const double room = room_beside(target) / grid.cell_width();
        if (grid.margin_across > room) grid.margin_across = static_cast<int>(room);
    }
    // Replace the part of the margin next to the edges by cells of the shield.
    const auto extend = [](int64_t pixels, int64_t of, int& count, int& added, int& rest) {
        const auto wanted =
            static_cast<int>(std::min<int64_t>((pixels * count + of - 1) / of, kMostCellsBeyond));
        added = std::min(wanted, rest);
        rest -= added;
        count += 2 * added;
    };
    const double cell_width = grid.cell_width(), cell_height = grid.cell_height();
    extend(beyond.across, bitmap.width, grid.columns, grid.columns_beyond, grid.margin_across);
    extend(beyond.down, bitmap.height, grid.rows, grid.rows_beyond, grid.margin);
    grid.width = extent[0] + 2.0 * grid.columns_beyond * cell_width;
    grid.height = extent[1] + 2.0 * grid.rows_beyond * cell_height;

    set_lit_shares(target, extras, grid);
    return grid;
}

std::vector<ReceiverGrid> make_surface_grids(const std::vector<Target>& targets,
                                             const std::vector<size_t>& indices,
                                             const BitmapConfig& bitmap,
                                             size_t first_cell) {
    double width = 0.0, height = 0.0;
    for (const size_t index : indices) {
        const auto extent = surface_extent(targets[index]);
        width = std::max(width, extent[0]);
        height = std::max(height, extent[1]);
    }
    const double side = std::sqrt(static_cast<double>(indices.size()) * width * height /
                                  static_cast<double>(kMostSurfaceCells));
    // Prefer a number of cells that divides the pixels evenly.
    const auto cells = [&](double extent, int64_t pixels) {
        const auto most = std::clamp<int64_t>(
            std::lround(extent / side), 1, std::min<int64_t>(pixels, kMostCells));
        for (int64_t n = most; 2 * n > most; --n)
            if (pixels % n == 0) return static_cast<int>(n);
        return static_cast<int>(most);
    };
    std::vector<ReceiverGrid> grids;
    for (const size_t index : indices) {
        const Target& target = targets[index];
        ReceiverGrid grid;
        grid.target = index;
        grid.width = surface_extent(target)[0];
        grid.height = surface_extent(target)[1];
        grid.columns = cells(width, bitmap.width);
        grid.rows = cells(height, bitmap.height);
        grid.free_x =
            std::visit([](const auto& shape) { return is_free_across(shape); }, target.geometry);
        grid.is_surface = true;
        grid.first_cell = first_cell;
        first_cell += grid.num_cells();
        TargetConfig extras;
        extras.outline = target.outline;
        set_lit_shares(target, extras, grid);
        grids.push_back(std::move(grid));
    }
    return grids;
}

Target enlarged_target(const Target& target, double width, double height) {
    return {target.name,
            std::visit([&](const auto& shape) { return enlarged_shape(shape, width, height); },
                       target.geometry)};
}

SurfacePoint unrolled(const Target& target, const Vec3& point) {
    const Vec3 p = target_frame(target).point_to_frame(point);
    return std::visit([&](const auto& shape) { return unrolled_point(shape, p); }, target.geometry);
}

SurfacePoint on_surface(const Target& target, SurfacePoint point) {
    return std::visit([&](const auto& shape) { return clamp_to_rim(shape, point); },
                      target.geometry);
}

}  // namespace helioray::aiming
