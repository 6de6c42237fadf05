// SPDX-License-Identifier: MIT
// Computes the limits of pixels and cells.
#include "raytracer/solvers/aiming/traced/flux_limits.h"

#include "scenario/config/reader.h"
#include "scenario/files/error.h"
#include "scenario/inputs/limit_table.h"
#include "scenario/types/vector_math.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <utility>

namespace helioray::aiming {

namespace {

constexpr double kNone = std::numeric_limits<double>::infinity();
// Smallest fraction of a limit that remains if the model's error exceeds the limit.
constexpr double kLeast = 0.02;
// Distance over which differences between trace and model are averaged: cells to each side, and the
// maximum in pixels.
constexpr int64_t kReachCells = 2;
constexpr int64_t kMostReach = 8;
// Number of standard deviations by which the sum of squares of such differences may exceed that of
// noise.
constexpr double kSpread = 3.0;

/// Returns the number of pixels beyond an edge of a bitmap whose centres a table covers.
int64_t pixels_within(const std::vector<double>& axis, double extent, int64_t pixels, double room) {
    const double reach = std::max(axis.back(), -axis.front()) - 0.5 * extent;
    const double pixel = extent / static_cast<double>(pixels);
    // Allow for the rounding of decimal numbers.
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

/// Returns the limits on all pixels of a map; pixels without a limit are infinite.
template <typename Limit>
LimitMap make_map(const Target& target,
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

/// Returns the grid of the model that contains the pixels of a map.
const ReceiverGrid& find_grid(const FluxModel& model,
                              const std::vector<LimitMap>& limits,
                              const LimitMap& map) {
    size_t g = 0;
    while (limits[g].target != map.target) ++g;
    return model.grids[g];
}

/// Returns the cell that contains a pixel with a limit. Returns nullopt for pixels without a limit
/// and for those on which light does not count: on a target's dark cells, or on a shield beyond the
/// grid.
std::optional<size_t> limited_cell(const ReceiverGrid& grid,
                                   const LimitMap& map,
                                   const BitmapConfig& bitmap,
                                   size_t pixel) {
    if (std::isinf(map.limit[pixel])) return std::nullopt;
    const PixelsBeyond beyond = map.beyond.value_or(PixelsBeyond{});
    const int64_t columns = map.columns(bitmap);
    const auto p = static_cast<int64_t>(pixel);
    const auto cell =
        grid.cell_of_pixel(p % columns - beyond.across, p / columns - beyond.down, bitmap);
    if (!cell || (!map.beyond && grid.lit_share[*cell] == 0.0)) return std::nullopt;
    return cell;
}

/// Averages each pixel's difference over the largest square around it in which the differences vary
/// no more than their noise. most: pixels to each side. closed: true if the last column is adjacent
/// to the first one.
MapCorrection smoothed(const MapCorrection& raw,
                       const std::vector<uint8_t>& counts,
                       int64_t columns,
                       int64_t most,
                       bool closed) {
    MapCorrection result = raw;
    // A pixel may differ from the mean of its neighbours by this number of standard deviations,
    // which is about the largest among as many normal deviates.
    const auto number = static_cast<double>(std::count(counts.begin(), counts.end(), 1));
    const double stands_out = std::sqrt(2.0 * std::log(std::max(2.0, number)));
    const int64_t rows = std::ssize(counts) / columns;
    for (int64_t row = 0; row < rows; ++row) {
        for (int64_t column = 0; column < columns; ++column) {
            const auto p = static_cast<size_t>(row * columns + column);
            if (counts[p] == 0 || raw.std_error[p] <= 0.0) continue;
            for (int64_t reach = most; reach > 0; reach /= 2) {
                double weights = 0.0, sum = 0.0, squares = 0.0;
                int n = 0;
                for (int64_t r = row - reach; r <= row + reach; ++r) {
                    for (int64_t k = column - reach; k <= column + reach; ++k) {
                        const int64_t c = closed ? (k + columns) % columns : k;
                        if (r < 0 || r >= rows || c < 0 || c >= columns) continue;
                        const auto q = static_cast<size_t>(r * columns + c);
                        if (counts[q] == 0 || raw.std_error[q] <= 0.0) continue;
                        const double weight = 1.0 / (raw.std_error[q] * raw.std_error[q]);
                        weights += weight;
                        sum += weight * raw.flux[q];
                        squares += weight * raw.flux[q] * raw.flux[q];
                        ++n;
                    }
                }
                const double mean = sum / weights;
                const double spread = squares - weights * mean * mean;
                const double free = n - 1.0;
                const bool is_noise = spread <= free + kSpread * std::sqrt(2.0 * free);
                // Outliers keep their own difference.
                const bool fits = std::abs(raw.flux[p] - mean) <= stands_out * raw.std_error[p];
                if (!is_noise || !fits) continue;
                result.flux[p] = mean;
                result.std_error[p] = 1.0 / std::sqrt(weights);
                break;
            }
        }
    }
    return result;
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
        const auto table = std::find_if(tables.begin(), tables.end(), [&](const LimitTable& entry) {
            return entry.target == target.name;
        });
        if (table == tables.end()) {
            limits.push_back(make_map(target, bitmap, std::nullopt, [&](const SurfacePoint&) {
                return config.aiming.flux_limit.value_or(kNone);
            }));
            continue;
        }
        const auto limit_at = [&](const SurfacePoint& at) { return table->limit_at(at.x, at.y); };
        limits.push_back(make_map(target, bitmap, std::nullopt, limit_at));
        // Light beside a surface of a receiver meets other surfaces, which have their own limits.
        if (!target.receiver.empty()) continue;
        const PixelsBeyond beyond = pixels_beyond(*table, target, bitmap);
        if (beyond.across == 0 && beyond.down == 0) continue;
        check_size(beyond, config, limits.back());
        const auto extras = config.targets.find(target.name);
        const TargetConfig own = extras != config.targets.end() ? extras->second : TargetConfig{};
        shields.push_back(make_map(target, bitmap, beyond, [&](const SurfacePoint& at) {
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

std::vector<double> cell_limits(const FluxModel& model,
                                const std::vector<LimitMap>& limits,
                                const BitmapConfig& bitmap,
                                const std::vector<MapCorrection>& corrections,
                                double back_off,
                                const std::vector<double>& room,
                                std::vector<LimitPlace>* places) {
    std::vector<double> result(model.num_cells, kNone);
    if (places != nullptr) places->assign(model.num_cells, {});
    for (size_t m = 0; m < limits.size(); ++m) {
        const LimitMap& map = limits[m];
        const ReceiverGrid& grid = find_grid(model, limits, map);
        const double area = grid.cell_area();
        for (size_t p = 0; p < map.limit.size(); ++p) {
            const auto cell = limited_cell(grid, map, bitmap, p);
            if (!cell) continue;
            const size_t c = grid.first_cell + *cell;
            double limit = map.limit[p];
            if (!corrections.empty())
                limit -= corrections[m].flux[p] + back_off * corrections[m].std_error[p];
            if (!room.empty()) limit -= room[c] / area;
            limit = std::max(limit, kLeast * map.limit[p]);
            if (limit * area >= result[c]) continue;
            result[c] = limit * area;
            if (places != nullptr) (*places)[c] = {m, p};
        }
    }
    return result;
}

void lower_limits(const FluxModel& model,
                  const BitmapConfig& bitmap,
                  const std::vector<double>& room,
                  std::vector<LimitMap>& limits) {
    for (LimitMap& map : limits) {
        const ReceiverGrid& grid = find_grid(model, limits, map);
        for (size_t p = 0; p < map.limit.size(); ++p)
            if (const auto cell = limited_cell(grid, map, bitmap, p))
                map.limit[p] =
                    std::max(map.limit[p] - room[grid.first_cell + *cell] / grid.cell_area(),
                             kLeast * map.limit[p]);
    }
}

std::vector<MapCorrection> map_corrections(const FluxModel& model,
                                           const std::vector<LimitMap>& limits,
                                           const BitmapConfig& bitmap,
                                           const TracedField& traced,
                                           const std::vector<double>& cells) {
    std::vector<MapCorrection> corrections;
    for (const LimitMap& map : limits) {
        const ReceiverGrid& grid = find_grid(model, limits, map);
        const TargetResult* target = find_map(map, traced);
        const size_t size = map.limit.size();
        MapCorrection here{std::vector<double>(size, 0.0), std::vector<double>(size, 0.0)};
        if (target == nullptr) {
            corrections.push_back(std::move(here));
            continue;
        }
        // Ignore pixels without a limit in the averages.
        std::vector<uint8_t> counts(size, 0);
        for (size_t p = 0; p < size; ++p) {
            const auto cell = limited_cell(grid, map, bitmap, p);
            if (!cell) continue;
            counts[p] = 1;
            here.flux[p] = target->flux[p] - cells[grid.first_cell + *cell] / grid.cell_area();
            here.std_error[p] = target->flux_std_error[p];
        }
        const double pixels = std::max(
            grid.cell_width() / grid.target_width() * static_cast<double>(bitmap.width),
            grid.cell_height() / grid.target_height() * static_cast<double>(bitmap.height));
        const int64_t reach = std::min(kMostReach, kReachCells * int64_t{std::lround(pixels)});
        corrections.push_back(
            smoothed(here, counts, map.columns(bitmap), reach, !grid.free_x && !map.beyond));
    }
    return corrections;
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
