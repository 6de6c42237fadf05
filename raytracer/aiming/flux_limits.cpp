// SPDX-License-Identifier: MIT
// Limits of pixels and cells.
#include "raytracer/aiming/flux_limits.h"

#include "scenario/config/limit_table.h"
#include "scenario/config/reader.h"
#include "scenario/files/error.h"
#include "scenario/vector_math.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <utility>

namespace helioray::aiming {

namespace {

constexpr double kNone = std::numeric_limits<double>::infinity();
// A model that is wrong by more than the limit itself leaves this share of it.
constexpr double kLeast = 0.02;

/// Pixels of a bitmap beyond an edge whose centres are within the reach of a table.
int64_t pixels_within(const std::vector<double>& axis, double extent, int64_t pixels, double room) {
    const double reach = std::max(axis.back(), -axis.front()) - 0.5 * extent;
    const double pixel = extent / static_cast<double>(pixels);
    // A hair less is rounding of a decimal number.
    const double count = std::min(reach / pixel + 0.5, room / pixel) + 1e-6;
    return count < 1.0 ? 0 : static_cast<int64_t>(std::min(count, 2.0 * kPixelCounts.high));
}

PixelsBeyond pixels_beyond(const LimitTable& table,
                           const Target& target,
                           const BitmapConfig& bitmap) {
    const auto [width, height] = surface_extent(target);
    return {pixels_within(table.grid.x, width, bitmap.width, room_beside(target)),
            pixels_within(table.grid.y, height, bitmap.height, kNone)};
}

/// Limits on all pixels of a map; places where there is none are infinite.
template <typename Limit>
LimitMap map_of(const Target& target,
                const BitmapConfig& bitmap,
                const std::optional<PixelsBeyond>& beyond,
                const Limit& limit) {
    LimitMap map;
    map.target = target.name;
    map.beyond = beyond;
    const PixelsBeyond more = beyond.value_or(PixelsBeyond{});
    const auto [width, height] = surface_extent(target);
    for (int64_t row = -more.down; row < bitmap.height + more.down; ++row)
        for (int64_t column = -more.across; column < bitmap.width + more.across; ++column)
            map.limit.push_back(limit(SurfacePoint{pixel_centre(column, bitmap.width, width),
                                                   -pixel_centre(row, bitmap.height, height)}));
    return map;
}

void check_size(const PixelsBeyond& beyond, const RunConfig& config, const LimitMap& of_target) {
    const BitmapConfig& bitmap = config.bitmap;
    const auto most = static_cast<int64_t>(kPixelCounts.high);
    if (bitmap.width + 2 * beyond.across <= most && bitmap.height + 2 * beyond.down <= most) return;
    throw InputError(
        Problem{place_of(config, "aiming.flux_limit.file"),
                fmt::format("the limits around target '{}' need a map of {} x {} pixels",
                            of_target.target,
                            bitmap.width + 2 * beyond.across,
                            bitmap.height + 2 * beyond.down),
                fmt::format("pixels there are as large as on the target, and a map has at most {} "
                            "along either side",
                            most),
                "give limits nearer to the target alone, or a coarser bitmap"});
}

/// The model's cells that the pixels of a map belong to.
const ReceiverGrid& grid_of(const FluxModel& model,
                            const std::vector<LimitMap>& limits,
                            const LimitMap& map) {
    size_t g = 0;
    while (limits[g].target != map.target) ++g;
    return model.grids[g];
}

}  // namespace

std::vector<LimitMap> pixel_limits(const RunConfig& config,
                                   const Scenario& scenario,
                                   const std::vector<size_t>& targets) {
    const std::vector<LimitTable> tables = read_limit_tables(config, scenario);
    const BitmapConfig& bitmap = config.bitmap;
    std::vector<LimitMap> limits, shields;
    for (const size_t index : targets) {
        const Target& target = scenario.targets[index];
        const auto table = std::find_if(tables.begin(), tables.end(), [&](const LimitTable& one) {
            return one.target == target.name;
        });
        if (table == tables.end()) {
            limits.push_back(map_of(target, bitmap, std::nullopt, [&](const SurfacePoint&) {
                return config.aiming.flux_limit.value_or(kNone);
            }));
            continue;
        }
        const auto limit_at = [&](const SurfacePoint& at) { return table->limit_at(at.x, at.y); };
        limits.push_back(map_of(target, bitmap, std::nullopt, limit_at));
        const PixelsBeyond beyond = pixels_beyond(*table, target, bitmap);
        if (beyond.across == 0 && beyond.down == 0) continue;
        check_size(beyond, config, limits.back());
        const auto extras = config.targets.find(target.name);
        const TargetConfig own = extras != config.targets.end() ? extras->second : TargetConfig{};
        shields.push_back(map_of(target, bitmap, beyond, [&](const SurfacePoint& at) {
            return is_lit(target, own, at) ? kNone : limit_at(at);
        }));
    }
    std::move(shields.begin(), shields.end(), std::back_inserter(limits));
    const bool any = std::any_of(limits.begin(), limits.end(), [](const LimitMap& map) {
        return std::any_of(
            map.limit.begin(), map.limit.end(), [](double limit) { return std::isfinite(limit); });
    });
    if (!tables.empty() && !any)
        throw InputError(
            Problem{place_of(config, "aiming.flux_limit.file"),
                    "the limits reach no pixel of a target that is aimed at",
                    "places beyond a table have no limit, and x_m and y_m are metres from the "
                    "centre of the target's unrolled surface",
                    "move the table to the target, or leave the key out"});
    return limits;
}

std::string LimitCheck::text() const {
    return fmt::format(
        "{} cell(s) are above their flux limit by more than {:g} standard errors; the worst is on "
        "'{}' at {:.4f} times its limit",
        pixels_above,
        kErrorsAboveLimit,
        place,
        worst_share.value_or(0.0));
}

LimitCheck check_limits(const std::vector<LimitMap>& limits, const TracedField& traced) {
    LimitCheck check;
    for (const LimitMap& map : limits) {
        const TargetResult* target = find_map(map, traced);
        for (size_t p = 0; p < map.limit.size(); ++p) {
            if (std::isinf(map.limit[p])) continue;
            const double flux = target != nullptr ? target->flux[p] : 0.0;
            const double error = target != nullptr ? target->flux_std_error[p] : 0.0;
            const double share = flux / map.limit[p];
            if (!check.worst_share || share > *check.worst_share) {
                check.worst_share = share;
                check.worst_std_error = error / map.limit[p];
                check.place = map.place();
            }
            if (flux > map.limit[p])
                check.most_errors =
                    std::max(check.most_errors, (flux - map.limit[p]) / std::max(error, 1e-30));
            if (flux <= map.limit[p] + kErrorsAboveLimit * error) continue;
            check.kept = false;
            ++check.pixels_above;
        }
    }
    return check;
}

std::vector<double> cell_limits(const FluxModel& model,
                                const std::vector<LimitMap>& limits,
                                const BitmapConfig& bitmap,
                                const TracedField* traced,
                                const std::vector<double>& cells,
                                double back_off,
                                const std::vector<double>& room,
                                std::vector<LimitPlace>* places) {
    std::vector<double> result(model.num_cells, kNone);
    if (places != nullptr) places->assign(model.num_cells, {});
    for (size_t m = 0; m < limits.size(); ++m) {
        const LimitMap& map = limits[m];
        const ReceiverGrid& grid = grid_of(model, limits, map);
        const TargetResult* target = traced != nullptr ? find_map(map, *traced) : nullptr;
        const PixelsBeyond beyond = map.beyond.value_or(PixelsBeyond{});
        const int64_t columns = map.columns(bitmap);
        const double area = grid.cell_area();
        for (size_t p = 0; p < map.limit.size(); ++p) {
            if (std::isinf(map.limit[p])) continue;
            const auto pixel = static_cast<int64_t>(p);
            const auto in_grid = grid.cell_of_pixel(
                pixel % columns - beyond.across, pixel / columns - beyond.down, bitmap);
            // Light does not count on a target's dark cells, nor is a shield modelled where no
            // light is expected.
            if (!in_grid || (!map.beyond && grid.lit_share[*in_grid] == 0.0)) continue;
            const size_t c = grid.first_cell + *in_grid;
            double limit = map.limit[p];
            if (target != nullptr) {
                limit -= back_off * target->flux_std_error[p];
                limit -= target->flux[p] - cells[c] / area;
            }
            if (!room.empty()) limit -= room[c] / area;
            limit = std::max(limit, kLeast * map.limit[p]);
            if (limit * area >= result[c]) continue;
            result[c] = limit * area;
            if (places != nullptr) (*places)[c] = {m, p};
        }
    }
    return result;
}

std::vector<double> room_for_errors(const RunConfig& config,
                                    const Scenario& scenario,
                                    const AimErrors& aim_errors,
                                    const FluxModel& model,
                                    const std::vector<AimedPoint>& points,
                                    const std::vector<Setting>& settings) {
    if (!aim_errors.any()) return {};
    const auto deviations = [&](const auto& sigma_of) {
        std::vector<SurfacePoint> errors;
        for (const AimedPoint& point : points) {
            const double sigma = sigma_of(point.aim.heliostat);
            const Vec3 way =
                subtract(point.aim.point, scenario.heliostats[point.aim.heliostat].position);
            const double distance = norm(way);
            // A mirror that is off by an angle throws its light off by twice as much; steep light
            // arrives further up or down.
            const double across = std::hypot(way[0], way[1]) / std::max(distance, 1e-9);
            errors.push_back(
                {2.0 * sigma * distance, 2.0 * sigma * distance / std::max(across, 0.4)});
        }
        return model.deviations(settings, errors);
    };
    std::vector<double> room = deviations([&](size_t i) { return aim_errors.sigma[i]; });
    if (aim_errors.tracking) {
        const double tracking = config.optics.tracking_error;
        const std::vector<double> drawn =
            aim_errors.calibrated ? deviations([&](size_t) { return tracking; }) : room;
        for (size_t c = 0; c < room.size(); ++c) room[c] = std::hypot(room[c], drawn[c]);
    }
    for (double& value : room) value *= config.aiming.robust_sigma;
    return room;
}

std::vector<double> traced_cells(const RunResult& traced,
                                 const Scenario& scenario,
                                 const BitmapConfig& bitmap,
                                 const FluxModel& model) {
    std::vector<double> cells(model.num_cells, 0.0);
    for (const ReceiverGrid& grid : model.grids) {
        const TargetResult* target = find_target(traced, scenario.targets[grid.target].name);
        if (target == nullptr) continue;
        const double area = grid.target_width() * grid.target_height() /
                            static_cast<double>(bitmap.width * bitmap.height);
        for (int64_t row = 0; row < bitmap.height; ++row)
            for (int64_t column = 0; column < bitmap.width; ++column)
                cells[grid.first_cell + *grid.cell_of_pixel(column, row, bitmap)] +=
                    area * target->flux[static_cast<size_t>(row * bitmap.width + column)];
    }
    return cells;
}

}  // namespace helioray::aiming
