// SPDX-License-Identifier: MIT
// Traces images on the surfaces of receivers.
#include "raytracer/solvers/aiming/traced/trace_receivers.h"

#include "kernels/trace_flux.h"
#include "raytracer/tracing/geometry/frames.h"
#include "scenario/types/vector_math.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace helioray::aiming {

namespace {

// Number of rays of all images, and the minimum and maximum for one of them.
constexpr int64_t kRaysOfFieldOnReceivers = 50'000'000;
constexpr int64_t kFewestRaysOfReceivers = 1'024;
constexpr int64_t kMostRaysOfReceivers = 131'072;
// Largest number of images of a field, and of aim points of one heliostat along its only free
// coordinate, and along each of two.
constexpr int64_t kMostImages = 150'000;
constexpr int kMostOfLine = 65;
constexpr int kMostOfPlane = 33;
constexpr int kFewestOfLine = 3;
/// Standard deviation of the sun's disc along one axis, radians.
constexpr double kSunWidth = 2.3e-3;
// Largest distance between aim points, in standard deviations of the image, at which a spline
// through the traced values follows an image. Its error is up to 5 % of the largest flux for 1, and
// 2 % for 0.75; beyond 1.5 a blurred image is nearer.
constexpr double kSharpSpacing = 1.5;

/// Returns a lower estimate of the standard deviation of an image, metres.
double least_spread(const RunConfig& config, const Scenario& scenario, const AimedPoint& point) {
    const double distance =
        norm(subtract(point.aim.point, scenario.heliostats[point.aim.heliostat].position));
    const double slope = shape_width(config.optics.slope_error);
    const double specularity = shape_width(config.optics.specularity_error);
    return std::max(0.01, distance * std::hypot(kSunWidth, 2.0 * slope, specularity));
}

/// Returns the number of aim points over `extent` metres.
int count_points(double extent, double spacing) {
    if (extent < 1e-6) return 1;
    return std::max(2, 1 + static_cast<int>(std::ceil(extent / spacing)));
}

}  // namespace

bool is_narrow(const RunConfig& config,
               const Scenario& scenario,
               const AimedPoint& point,
               double width) {
    return width < least_spread(config, scenario, point);
}

ReceiverTracer::ReceiverTracer(const RunConfig& config,
                               const Scenario& scenario,
                               const FluxModel& model,
                               const std::vector<Target>& aim_surfaces,
                               const std::vector<AimedPoint>& points,
                               const std::vector<Range2>& ranges,
                               ImageEffort effort)
    : scenario_(scenario), model_(model), aim_surfaces_(aim_surfaces), lattices_(points.size()) {
    std::vector<std::pair<int, int>> counts(points.size(), {0, 0});
    for (size_t i = 0; i < points.size(); ++i) {
        if (!model.grid(i).is_surface) continue;
        const double spacing = least_spread(config, scenario, points[i]);
        counts[i] = {count_points(ranges[i].high.x - ranges[i].low.x, spacing),
                     count_points(ranges[i].high.y - ranges[i].low.y, spacing)};
    }
    // Use coarser lattices for more heliostats.
    int most_of_line = kMostOfLine, most_of_plane = kMostOfPlane;
    const auto reduced = [&](const std::pair<int, int>& own) {
        const bool is_line = own.first <= 1 || own.second <= 1;
        const int most = is_line ? most_of_line : most_of_plane;
        return std::pair(std::min(own.first, most), std::min(own.second, most));
    };
    const auto images = [&] {
        int64_t sum = 0;
        for (const auto& own : counts) {
            const auto [across, up] = reduced(own);
            sum += int64_t{across} * up;
        }
        return sum;
    };
    while (most_of_line > kFewestOfLine && images() > kMostImages) {
        --most_of_line;
        most_of_plane = std::min(most_of_plane, most_of_line);
    }
    for (size_t i = 0; i < points.size(); ++i) {
        if (!model.grid(i).is_surface) continue;
        const auto [across, up] = reduced(counts[i]);
        lattices_[i] = {ranges[i].low, ranges[i].high, across, up};
    }
    for (const ReceiverGrid& grid : model.grids) {
        if (!grid.is_surface) continue;
        for (int column = 0; column < grid.columns; ++column)
            for (int row = 0; row < grid.rows; ++row)
                centres_.push_back(surface_point(scenario.targets[grid.target],
                                                 pixel_centre(column, grid.columns, grid.width),
                                                 -pixel_centre(row, grid.rows, grid.height)));
    }
    RunConfig tracing = with_points(config, scenario, points, true);
    for (const ReceiverGrid& grid : model.grids)
        if (grid.is_surface) tracing.bitmap = {grid.columns, grid.rows, Filter::box};
    rays_ = std::clamp((effort.few_rays ? kRaysOfFieldOnReceivers / 2 : kRaysOfFieldOnReceivers) /
                           std::max<int64_t>(1, images()),
                       kFewestRaysOfReceivers,
                       kMostRaysOfReceivers);
    tracing.tracing.rays_per_heliostat = rays_;
    tracing.tracing.relative_error.reset();
    // Make work units of one heliostat each, which can be traced separately.
    tracing.output.per_heliostat = true;
    prepared_ =
        std::make_unique<physical::PreparedField>(tracing, scenario, true, model.num_threads);
}

void ReceiverTracer::trace_points(const std::vector<AimedPoint>& points,
                                  const std::vector<size_t>& which,
                                  int num_threads,
                                  const std::function<void(size_t, SparseLight)>& take) {
    for (const size_t i : which) prepared_->set_aim(points[i].aim);
    prepared_->update(num_threads);
    const physical::Field& field = prepared_->field();
    const kernels::FieldView view = field.view();
    const int64_t pixels = int64_t{view.bitmap_width} * view.bitmap_height;
    // First cell of each surface of the view; none for shields.
    constexpr int64_t kNoCells = -1;
    std::vector<int64_t> first_cell(static_cast<size_t>(view.num_surfaces), kNoCells);
    for (int32_t s = 0; s < view.num_surfaces; ++s)
        for (const ReceiverGrid& grid : model_.grids)
            if (grid.is_surface && static_cast<int64_t>(grid.target) == view.surfaces[s].target)
                first_cell[static_cast<size_t>(s)] =
                    static_cast<int64_t>(grid.first_cell - model_.surfaces.first);
    std::vector<int32_t> rows;
    std::vector<size_t> point_of_row(field.aimed().size(), 0);
    for (const size_t i : which) {
        rows.push_back(field.row(points[i].aim.heliostat));
        point_of_row[static_cast<size_t>(rows.back())] = i;
    }
    const auto& units = field.plan().units;
    const double watts = 1.0 / field.quanta_per_watt();
    kernels::CpuOptions options;
    options.num_threads = num_threads;
    const auto keep = [&](const kernels::HeliostatSums& sums) {
        SparseLight light;
        for (int64_t p = sums.first_pixel; p <= sums.last_pixel; ++p) {
            if (sums.flux[p] == 0) continue;
            const int64_t map = p / pixels;
            if (map >= view.num_surfaces) break;  // maps of incident light follow
            const int64_t first = first_cell[static_cast<size_t>(map)];
            if (first == kNoCells) continue;
            // Cells count by column, pixels by row.
            const int64_t row = p % pixels / view.bitmap_width;
            const int64_t column = p % view.bitmap_width;
            light.emplace_back(static_cast<uint32_t>(first + column * view.bitmap_height + row),
                               static_cast<float>(static_cast<double>(sums.flux[p]) * watts));
        }
        std::sort(light.begin(), light.end());
        take(point_of_row[static_cast<size_t>(sums.heliostat)], std::move(light));
    };
    kernels::trace_heliostats_cpu(
        view, units.data(), std::ssize(units) / std::ssize(field.aimed()), rows, options, keep);
}

Image ReceiverTracer::make_image(const AimedPoint& point,
                                 size_t place,
                                 const AimLattice& lattice,
                                 const std::vector<SparseLight>& traced) const {
    // Measure the image from the middle of the lattice where the light passes the aim surface.
    const Target& surface = aim_surfaces_[place];
    const Vec3& mirror = scenario_.heliostats[point.aim.heliostat].position;
    const TargetFrame frame = target_frame(surface);
    const int column = lattice.across / 2, row = lattice.up / 2;
    const SurfacePoint aim =
        lattice.size() == 1 ? SurfacePoint{point.x, point.y} : lattice.at(column, row);
    double power = 0.0, mean_x = 0.0, mean_y = 0.0, square_x = 0.0, square_y = 0.0;
    for (const auto& [cell, light] : traced[lattice.node(column, row)]) {
        Vec3 at = centres_[cell];
        if (is_flat(surface)) {
            const Vec3 way = subtract(at, mirror);
            const double depth = dot(way, frame.axes[2]);
            const double to_plane = dot(subtract(frame.origin, mirror), frame.axes[2]);
            if (std::abs(depth) > 1e-6) at = add_scaled(mirror, to_plane / depth, way);
        }
        const SurfacePoint p = unrolled(surface, at);
        const auto watts = static_cast<double>(light);
        power += watts;
        mean_x += watts * p.x;
        mean_y += watts * p.y;
        square_x += watts * p.x * p.x;
        square_y += watts * p.y * p.y;
    }
    SurfacePoint spread, offset;
    if (power > 0.0) {
        mean_x /= power;
        mean_y /= power;
        spread = {std::sqrt(std::max(0.0, square_x / power - mean_x * mean_x)),
                  std::sqrt(std::max(0.0, square_y / power - mean_y * mean_y))};
        offset = {mean_x - aim.x, mean_y - aim.y};
    }
    const SurfacePoint step = lattice.spacing();
    return {LatticeImage(lattice,
                         traced,
                         {step.x <= kSharpSpacing * spread.x, step.y <= kSharpSpacing * spread.y}),
            spread,
            offset};
}

void ReceiverTracer::trace(const std::vector<AimedPoint>& points,
                           int num_threads,
                           std::vector<Image>& images) {
    std::vector<std::vector<SparseLight>> traced(points.size());
    std::vector<AimedPoint> moved = points;
    int most_across = 0, most_up = 0;
    for (size_t i = 0; i < points.size(); ++i) {
        if (!model_.grid(i).is_surface) continue;
        traced[i].resize(lattices_[i].size());
        most_across = std::max(most_across, lattices_[i].across);
        most_up = std::max(most_up, lattices_[i].up);
    }
    for (int row = 0; row < most_up; ++row) {
        for (int column = 0; column < most_across; ++column) {
            std::vector<size_t> which;
            for (size_t i = 0; i < points.size(); ++i) {
                const AimLattice& lattice = lattices_[i];
                if (traced[i].empty() || column >= lattice.across || row >= lattice.up) continue;
                which.push_back(i);
                if (lattice.size() == 1) continue;
                const SurfacePoint at = lattice.at(column, row);
                moved[i].aim.point = surface_point(aim_surfaces_[i], at.x, at.y);
            }
            trace_points(moved, which, num_threads, [&](size_t i, SparseLight light) {
                traced[i][lattices_[i].node(column, row)] = std::move(light);
            });
        }
    }
    for (size_t i = 0; i < points.size(); ++i)
        if (!traced[i].empty()) images[i] = make_image(points[i], i, lattices_[i], traced[i]);
}

void ReceiverTracer::trace_here(const std::vector<AimedPoint>& points,
                                int num_threads,
                                std::vector<Image>& images) {
    std::vector<size_t> which;
    for (size_t i = 0; i < points.size(); ++i)
        if (model_.grid(i).is_surface) which.push_back(i);
    trace_points(points, which, num_threads, [&](size_t i, SparseLight light) {
        const SurfacePoint here{points[i].x, points[i].y};
        images[i] = make_image(points[i], i, {here, here, 1, 1}, {std::move(light)});
    });
}

}  // namespace helioray::aiming
