// SPDX-License-Identifier: MIT
// Limits of pixels and cells.
#include "raytracer/aiming/flux_limits.h"

#include "scenario/config/limit_table.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace helioray::aiming {

namespace {

constexpr double kNone = std::numeric_limits<double>::infinity();
// A model that is wrong by more than the limit itself leaves this share of it.
constexpr double kLeast = 0.02;

}  // namespace

std::vector<LimitMap> pixel_limits(const RunConfig& config,
                                   const Scenario& scenario,
                                   const std::vector<ReceiverGrid>& grids) {
    const std::vector<LimitTable> tables = read_limit_tables(config, scenario);
    const BitmapConfig& bitmap = config.bitmap;
    std::vector<LimitMap> limits;
    for (const ReceiverGrid& grid : grids) {
        LimitMap map;
        map.target = scenario.targets[grid.target].name;
        const auto table = std::find_if(tables.begin(), tables.end(), [&](const LimitTable& one) {
            return one.target == map.target;
        });
        for (int64_t row = 0; row < bitmap.height; ++row) {
            for (int64_t column = 0; column < bitmap.width; ++column) {
                double limit = config.aiming.flux_limit.value_or(kNone);
                if (table != tables.end()) {
                    limit = table->limit_at(pixel_centre(column, bitmap.width, grid.width),
                                            -pixel_centre(row, bitmap.height, grid.height));
                }
                map.limit.push_back(limit);
            }
        }
        limits.push_back(std::move(map));
    }
    return limits;
}

LimitCheck check_limits(const std::vector<LimitMap>& limits, const RunResult& traced) {
    LimitCheck check;
    for (const LimitMap& map : limits) {
        const TargetResult* target = find_target(traced, map.target);
        for (size_t p = 0; p < map.limit.size(); ++p) {
            if (std::isinf(map.limit[p])) continue;
            const double flux = target != nullptr ? target->flux[p] : 0.0;
            const double error = target != nullptr ? target->flux_std_error[p] : 0.0;
            const double share = flux / map.limit[p];
            if (!check.worst_share || share > *check.worst_share) {
                check.worst_share = share;
                check.worst_std_error = error / map.limit[p];
                check.target = map.target;
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
                                const RunResult* traced,
                                const std::vector<double>& cells,
                                double back_off,
                                const std::vector<double>& room,
                                std::vector<size_t>* pixels) {
    std::vector<double> result(model.num_cells, kNone);
    if (pixels != nullptr) pixels->assign(model.num_cells, 0);
    for (size_t g = 0; g < model.grids.size(); ++g) {
        const ReceiverGrid& grid = model.grids[g];
        const LimitMap& map = limits[g];
        const TargetResult* target = traced != nullptr ? find_target(*traced, map.target) : nullptr;
        const double area = grid.cell_area();
        for (int64_t row = 0; row < bitmap.height; ++row) {
            for (int64_t column = 0; column < bitmap.width; ++column) {
                const auto p = static_cast<size_t>(row * bitmap.width + column);
                if (std::isinf(map.limit[p])) continue;
                const size_t in_grid = grid.cell_of_pixel(column, row, bitmap);
                if (grid.lit_share[in_grid] == 0.0) continue;
                const size_t c = grid.first_cell + in_grid;
                double limit = map.limit[p];
                if (target != nullptr) {
                    limit -= back_off * target->flux_std_error[p];
                    limit -= target->flux[p] - cells[c] / area;
                }
                if (!room.empty()) limit -= room[c] / area;
                limit = std::max(limit, kLeast * map.limit[p]);
                if (limit * area >= result[c]) continue;
                result[c] = limit * area;
                if (pixels != nullptr) (*pixels)[c] = p;
            }
        }
    }
    return result;
}

std::vector<double> traced_cells(const RunResult& traced,
                                 const Scenario& scenario,
                                 const BitmapConfig& bitmap,
                                 const FluxModel& model) {
    std::vector<double> cells(model.num_cells, 0.0);
    for (const ReceiverGrid& grid : model.grids) {
        const TargetResult* target = find_target(traced, scenario.targets[grid.target].name);
        if (target == nullptr) continue;
        const double area =
            grid.width * grid.height / static_cast<double>(bitmap.width * bitmap.height);
        for (int64_t row = 0; row < bitmap.height; ++row)
            for (int64_t column = 0; column < bitmap.width; ++column)
                cells[grid.first_cell + grid.cell_of_pixel(column, row, bitmap)] +=
                    area * target->flux[static_cast<size_t>(row * bitmap.width + column)];
    }
    return cells;
}

}  // namespace helioray::aiming
