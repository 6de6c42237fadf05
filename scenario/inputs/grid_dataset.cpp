// SPDX-License-Identifier: MIT
// Reads grids from HDF5 files.
#include "scenario/inputs/grid_dataset.h"

#include "scenario/types/choices.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace helioray {

namespace {

/// Reads an axis of a grid, in metres.
std::vector<double> read_axis(const hdf5::Group& group,
                              const char* name,
                              std::vector<Problem>& problems) {
    const hdf5::Dataset dataset = group.dataset(name);
    std::vector<double> axis = dataset.read<double>();
    const bool ascends = std::adjacent_find(axis.begin(), axis.end(), [](double a, double b) {
                             return !(a < b);
                         }) == axis.end();
    const bool is_finite =
        std::all_of(axis.begin(), axis.end(), [](double v) { return std::isfinite(v); });
    if (dataset.shape().size() != 1 || axis.size() < 2 || !ascends || !is_finite)
        problems.push_back({dataset.where(),
                            "is not a list of at least 2 ascending numbers",
                            "it is an axis of the grid, in metres",
                            "write one coordinate for each line of the grid"});
    return axis;
}

}  // namespace

void check_values(const std::vector<double>& values,
                  size_t columns,
                  const std::string& place,
                  const std::string& unit,
                  const Range& range,
                  std::vector<Problem>& problems) {
    const auto wrong = std::find_if_not(
        values.begin(), values.end(), [&](double value) { return range.contains(value); });
    if (wrong == values.end()) return;
    const auto index = static_cast<size_t>(wrong - values.begin());
    problems.push_back({place,
                        fmt::format("{}{} in row {}, column {} is not a number {}",
                                    *wrong,
                                    unit.empty() ? "" : " " + unit,
                                    index / columns,
                                    index % columns,
                                    range.sentence()),
                        range.why,
                        ""});
}

std::optional<ValueGrid> read_grid_dataset(const hdf5::Group& group,
                                           const std::string& name,
                                           const std::array<const char*, 2>& axes,
                                           double factor,
                                           const std::string& unit,
                                           const Range& range,
                                           std::vector<Problem>& problems) {
    const size_t before = problems.size();
    const hdf5::Dataset dataset = group.dataset(name);
    ValueGrid grid;
    grid.x = read_axis(group, axes[0], problems);
    grid.y = read_axis(group, axes[1], problems);
    if (problems.size() != before) return std::nullopt;
    const hdf5::Shape expected{grid.y.size(), grid.x.size()};
    if (dataset.shape() != expected) {
        problems.push_back({dataset.where(),
                            fmt::format("has the shape {}, its axes {} and {} {}",
                                        hdf5::to_string(dataset.shape()),
                                        axes[1],
                                        axes[0],
                                        hdf5::to_string(expected)),
                            "each value belongs to a point of the grid",
                            ""});
        return std::nullopt;
    }
    grid.values = dataset.read<double>();
    for (double& value : grid.values) value *= factor;
    check_values(grid.values, grid.x.size(), dataset.where(), unit, range, problems);
    if (problems.size() != before) return std::nullopt;
    return grid;
}

}  // namespace helioray
