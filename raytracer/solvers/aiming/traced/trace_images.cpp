// SPDX-License-Identifier: MIT
// Traces the images of heliostats on an enlarged target.
#include "raytracer/solvers/aiming/traced/trace_images.h"

#include "kernels/trace_flux.h"
#include "raytracer/tracing/geometry/frames.h"
#include "scenario/types/state_bounds.h"

#include <algorithm>
#include <cmath>

namespace helioray::aiming {

namespace {

// Number of rays for the images of a whole field, and the minimum and maximum per heliostat. The
// optimiser corrects its images by the difference to a full trace, but their noise changes as they
// move: with a quarter of these rays it needed twice as many rounds (2,650 heliostats). They take
// 0.4 CPU s.
constexpr int64_t kRaysOfField = 130'000'000;
// Near the optimum images move less: with half of these rays, the warm steps of a day with 10,000
// heliostats reached the same gaps.
constexpr int64_t kRaysOfFieldNear = kRaysOfField / 2;
constexpr int64_t kFewestRays = 8'192;
constexpr int64_t kMostRays = 131'072;
// Maximum number of images of a field that is traced from lattices of aim points, and the minimum
// number along an axis. Each further image adds a sum to the bound, which then takes several times
// as long.
constexpr int64_t kMostLatticeImages = 320;
constexpr int kFewestOfLattice = 3;
// Angle between neighbouring aim points of a lattice, seen from the mirror, radians. Images that
// are interpolated between them have an error of about a thousandth of their light.
constexpr double kLatticeAngle = 0.1;
constexpr int kMostOfLattice = 5;  ///< Maximum number of aim points along each axis

double mirror_radius(const Surface& surface) {
    double radius = 0.0;
    for (const Facet& facet : surface.facets) {
        radius = std::max(radius,
                          norm(facet.translation) + norm(facet.canting_e) + norm(facet.canting_n));
    }
    return radius;
}

/// Returns the number of aim points over `extent` metres from which the images of a mirror are
/// traced.
int lattice_count(double extent, double distance, double bin) {
    if (extent < bin) return 1;
    return std::min(kMostOfLattice,
                    1 + static_cast<int>(std::ceil(extent / distance / kLatticeAngle)));
}

/// Returns the change of a mirror's cosine with its aim point, to second order.
PowerFactor cosine_factor(const Target& target,
                          const Vec3& mirror,
                          const Vec3& to_sun,
                          SurfacePoint aim) {
    const auto cosine = [&](double right, double up) {
        const Vec3 way = subtract(surface_point(target, aim.x + right, aim.y + up), mirror);
        return std::sqrt(0.5 * (1.0 + dot(way, to_sun) / std::max(norm(way), 1e-9)));
    };
    constexpr double h = 0.5;
    const double here = cosine(0.0, 0.0);
    if (here < 1e-3) return {};
    const double right = cosine(h, 0.0) / here, left = cosine(-h, 0.0) / here;
    const double up = cosine(0.0, h) / here, down = cosine(0.0, -h) / here;
    const double mixed = (cosine(h, h) - cosine(h, -h) - cosine(-h, h) + cosine(-h, -h)) / here;
    return {(right - left) / (2.0 * h),
            (up - down) / (2.0 * h),
            (right - 2.0 + left) / (2.0 * h * h),
            mixed / (4.0 * h * h),
            (up - 2.0 + down) / (2.0 * h * h)};
}

}  // namespace

double shape_width(const ErrorShape& shape) {
    if (const auto* gauss = std::get_if<GaussianShape>(&shape)) return gauss->sigma;
    if (const auto* pillbox = std::get_if<PillboxShape>(&shape)) return 0.5 * pillbox->half_angle;
    return 0.0;
}

RunConfig with_points(const RunConfig& config,
                      const Scenario& scenario,
                      const std::vector<AimedPoint>& points,
                      bool all) {
    RunConfig result = config;
    result.aim.active.emplace();
    result.aim.heliostats.clear();
    for (const AimedPoint& point : points) {
        if (!all && !point.active) continue;
        const std::string& name = scenario.heliostats[point.aim.heliostat].name;
        result.aim.active->push_back(name);
        result.aim.heliostats[name] = {
            scenario.targets[point.aim.target].name, point.aim.point, point.aim.motor_positions};
    }
    return result;
}

double image_radius(const RunConfig& config,
                    const Scenario& scenario,
                    const std::vector<AimedPoint>& points,
                    size_t target) {
    const auto extent = surface_extent(scenario.targets[target]);
    // Include light of the sun's rim and errors of three standard deviations; reflection doubles
    // slope and tracking errors.
    const double sun = 0.006;
    const auto largest_angle = [&](const std::string& name) {
        const auto largest = [&](std::optional<double> MirrorState::*member, double common) {
            return largest_value(config.state, name, member, common);
        };
        const double slope =
            largest(&MirrorState::slope_error, shape_width(config.optics.slope_error));
        const double specularity =
            largest(&MirrorState::specularity_error, shape_width(config.optics.specularity_error));
        const double tracking = largest(&MirrorState::tracking_error, config.optics.tracking_error);
        return sun + 3.0 * std::hypot(2.0 * slope, specularity, 2.0 * tracking);
    };
    double radius = 0.0;
    for (const AimedPoint& point : points) {
        if (point.aim.target != target) continue;
        const Heliostat& heliostat = scenario.heliostats[point.aim.heliostat];
        const Vec3 way = subtract(point.aim.point, heliostat.position);
        const double distance = norm(way);
        const double angle = largest_angle(heliostat.name);
        // Steep light spreads over a longer distance on an upright surface.
        const double across = std::hypot(way[0], way[1]) / std::max(distance, 1e-9);
        radius = std::max(
            radius, (mirror_radius(*heliostat.surface) + distance * angle) / std::max(across, 0.4));
    }
    return std::min(radius, 1.5 * std::max(extent[0], extent[1]));
}

ImageTracer::ImageTracer(const RunConfig& config,
                         const Scenario& scenario,
                         const ReceiverGrid& grid,
                         const std::vector<AimedPoint>& points,
                         const std::vector<Range2>& ranges,
                         ImageEffort effort,
                         int num_threads)
    : grid_(grid),
      enlarged_(scenario),
      target_(scenario.targets[grid.target]),
      to_sun_(direction_to_sun(config.sun, scenario.position)),
      ranges_(ranges),
      counts_(points.size()) {
    for (size_t i = 0; i < points.size(); ++i) {
        if (points[i].aim.target != grid.target) continue;
        const double distance =
            std::max(1.0,
                     norm(subtract(points[i].aim.point,
                                   scenario.heliostats[points[i].aim.heliostat].position)));
        const Range2& range = ranges[i];
        counts_[i].across = lattice_count(range.high.x - range.low.x, distance, grid.bin_width());
        counts_[i].up = lattice_count(range.high.y - range.low.y, distance, grid.bin_height());
    }
    // Use coarser lattices for more heliostats.
    int most = kMostOfLattice;
    const auto images = [&] {
        int64_t sum = 0;
        for (const Counts& counts : counts_)
            sum += int64_t{std::min(counts.across, most)} * std::min(counts.up, most);
        return sum;
    };
    while (most > 1 && images() > kMostLatticeImages) --most;
    if (most < kFewestOfLattice || effort.single_images) most = 1;
    for (Counts& counts : counts_) {
        counts = {std::min(counts.across, most), std::min(counts.up, most)};
        most_ = {std::max(most_.across, counts.across), std::max(most_.up, counts.up)};
    }
    Target& target = enlarged_.targets[grid.target];
    target = enlarged_target(target,
                             grid.width + 2.0 * grid.margin_across * grid.cell_width(),
                             grid.height + 2.0 * grid.margin * grid.cell_height());
    RunConfig tracing = with_points(config, scenario, points, true);
    if (const auto extras = tracing.targets.find(target.name); extras != tracing.targets.end())
        extras->second.outline.clear();
    const int across =
        grid.free_x ? grid.bins * (grid.columns + 2 * grid.margin_across) : grid.columns;
    bitmap_width_ = across;
    const int down = grid.bins * (grid.rows + 2 * grid.margin);
    tracing.bitmap = {across, down, Filter::box};
    rays_ = std::clamp(
        (effort.few_rays ? kRaysOfFieldNear : kRaysOfField) / images(), kFewestRays, kMostRays);
    tracing.tracing.rays_per_heliostat = rays_;
    tracing.tracing.relative_error.reset();
    // Make work units of one heliostat each, which can be traced separately.
    tracing.output.per_heliostat = true;
    prepared_ = std::make_unique<physical::PreparedField>(tracing, enlarged_, true, num_threads);
}

SurfacePoint ImageTracer::lattice_point(size_t heliostat,
                                        SurfacePoint own,
                                        int column,
                                        int row) const {
    const Range2& range = ranges_[heliostat];
    const Counts& counts = counts_[heliostat];
    // Space the points by whole bins, so that the splines of all images have common knots.
    const auto at = [](double low, double high, int i, int count, double bin) {
        return low + std::floor((high - low) / bin * i / (count - 1) + 1e-9) * bin;
    };
    if (counts.across > 1)
        own.x = at(range.low.x, range.high.x, column, counts.across, grid_.bin_width());
    if (counts.up > 1) own.y = at(range.low.y, range.high.y, row, counts.up, grid_.bin_height());
    return own;
}

void ImageTracer::trace(const std::vector<AimedPoint>& points,
                        int num_threads,
                        std::vector<Image>& images) {
    std::vector<std::vector<Image>> views(points.size());
    std::vector<AimedPoint> moved = points;
    std::vector<Image> traced(points.size());
    for (int row = 0; row < most_.up; ++row) {
        for (int column = 0; column < most_.across; ++column) {
            for (size_t i = 0; i < points.size(); ++i) {
                const Counts& counts = counts_[i];
                if (points[i].aim.target != grid_.target || counts.across * counts.up == 1)
                    continue;
                const SurfacePoint at = lattice_point(i,
                                                      {points[i].x, points[i].y},
                                                      std::min(column, counts.across - 1),
                                                      std::min(row, counts.up - 1));
                moved[i].x = at.x;
                moved[i].y = at.y;
                moved[i].aim.point = surface_point(target_, at.x, at.y);
            }
            trace_here(moved, num_threads, traced);
            for (size_t i = 0; i < points.size(); ++i)
                if (column < counts_[i].across && row < counts_[i].up)
                    views[i].push_back(std::move(traced[i]));
        }
    }
    for (size_t i = 0; i < points.size(); ++i) {
        if (points[i].aim.target != grid_.target) continue;
        images[i] = views[i].size() == 1
                        ? std::move(views[i].front())
                        : Image::blend(std::move(views[i]), counts_[i].across, counts_[i].up);
    }
}

void ImageTracer::trace_here(const std::vector<AimedPoint>& points,
                             int num_threads,
                             std::vector<Image>& images) {
    for (const AimedPoint& point : points) prepared_->set_aim(point.aim);
    prepared_->update(num_threads);
    const physical::Field& field = prepared_->field();
    std::vector<int32_t> rows;
    std::vector<size_t> place_of_row(field.aimed().size(), 0);
    for (size_t i = 0; i < points.size(); ++i) {
        if (points[i].aim.target != grid_.target) continue;
        rows.push_back(field.row(points[i].aim.heliostat));
        place_of_row[static_cast<size_t>(rows.back())] = i;
    }
    const auto& units = field.plan().units;
    const double watts = 1.0 / field.quanta_per_watt();
    const auto width = static_cast<int64_t>(bitmap_width_);
    const auto pixels = static_cast<size_t>(width * field.settings().bitmap.height);
    kernels::CpuOptions options;
    options.num_threads = num_threads;
    const auto keep = [&](const kernels::HeliostatSums& sums) {
        const size_t place = place_of_row[static_cast<size_t>(sums.heliostat)];
        const AimedPoint& point = points[place];
        if (sums.last_pixel < sums.first_pixel) {
            images[place] = Image();
            return;
        }
        thread_local std::vector<double> power;
        power.resize(pixels);
        const int64_t first_row = sums.first_pixel / width, last_row = sums.last_pixel / width;
        for (int64_t p = first_row * width; p < (last_row + 1) * width; ++p) {
            const bool is_lit = p >= sums.first_pixel && p <= sums.last_pixel;
            power[static_cast<size_t>(p)] =
                is_lit ? static_cast<double>(sums.flux[p]) * watts : 0.0;
        }
        // Clouds may block all light of a heliostat.
        if (std::all_of(power.begin() + first_row * width,
                        power.begin() + (last_row + 1) * width,
                        [](double value) { return value == 0.0; })) {
            images[place] = Image();
            return;
        }
        images[place] = Image(grid_,
                              {point.x, point.y},
                              bitmap_width_,
                              static_cast<int>(first_row),
                              static_cast<int>(last_row),
                              power);
        images[place].set_factor(cosine_factor(target_,
                                               enlarged_.heliostats[point.aim.heliostat].position,
                                               to_sun_,
                                               {point.x, point.y}));
    };
    kernels::trace_heliostats_cpu(field.view(),
                                  units.data(),
                                  std::ssize(units) / std::ssize(field.aimed()),
                                  rows,
                                  options,
                                  keep);
}

}  // namespace helioray::aiming
