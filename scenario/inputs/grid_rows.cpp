// SPDX-License-Identifier: MIT
// Arranges rows on a grid.
#include "scenario/inputs/grid_rows.h"

#include <fmt/format.h>

#include <map>
#include <set>
#include <utility>

namespace helioray {

std::optional<ValueGrid> make_grid(const std::vector<GridRow>& rows,
                                   const std::string& file,
                                   const std::array<const char*, 2>& axes,
                                   const std::string& values,
                                   std::vector<Problem>& problems) {
    const auto point = [&](double x, double y) {
        return fmt::format("{} {} m, {} {} m", axes[0], x, axes[1], y);
    };
    std::set<double> xs, ys;
    std::map<std::pair<double, double>, const GridRow*> by_place;
    bool good = true;
    for (const GridRow& row : rows) {
        xs.insert(row.x);
        ys.insert(row.y);
        const auto [first, is_new] = by_place.emplace(std::pair{row.y, row.x}, &row);
        if (is_new) continue;
        good = false;
        problems.push_back({row.place,
                            fmt::format("{} is given twice", point(row.x, row.y)),
                            "first at " + first->second->place,
                            "keep one of the two"});
    }
    ValueGrid grid;
    grid.x.assign(xs.begin(), xs.end());
    grid.y.assign(ys.begin(), ys.end());
    if (xs.size() < 2 || ys.size() < 2) {
        problems.push_back(
            {file,
             fmt::format("has {} {} and {} {} coordinates", xs.size(), axes[0], ys.size(), axes[1]),
             values + " are interpolated in both directions",
             "give at least 2 of each"});
        return std::nullopt;
    }
    for (const double y : grid.y) {
        for (const double x : grid.x) {
            const auto row = by_place.find({y, x});
            if (row != by_place.end()) {
                grid.values.push_back(row->second->value);
                continue;
            }
            problems.push_back(
                {file,
                 fmt::format("{} of {} points of the grid are missing, the first: {}",
                             xs.size() * ys.size() - by_place.size(),
                             xs.size() * ys.size(),
                             point(x, y)),
                 values + " are interpolated on a rectangular grid",
                 fmt::format("give every {} with every {}", axes[0], axes[1])});
            return std::nullopt;
        }
    }
    if (!good) return std::nullopt;
    return grid;
}

}  // namespace helioray
