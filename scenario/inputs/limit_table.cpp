// SPDX-License-Identifier: MIT
// Reads tables of flux limits: rows of a CSV file, arranged on their grid, or maps of an HDF5 file.
#include "scenario/inputs/limit_table.h"

#include "scenario/files/error.h"
#include "scenario/files/hdf5/file.h"
#include "scenario/inputs/column_table.h"
#include "scenario/inputs/grid_dataset.h"
#include "scenario/inputs/grid_rows.h"
#include "scenario/types/choices.h"
#include "scenario/types/type_names.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <functional>
#include <limits>
#include <map>
#include <utility>

namespace helioray {

namespace {

constexpr double kKilowatt = 1e3;
constexpr double kNoLimit = std::numeric_limits<double>::infinity();

class LimitReader {
  public:
    LimitReader(const RunConfig& config, const Scenario& scenario)
        : config_(config), scenario_(scenario), file_(*config.aiming.flux_limit_file) {}

    std::vector<LimitTable> run() {
        if (is_hdf5(file_)) {
            read_hdf5();
        } else {
            read_csv();
        }
        if (!problems_.empty()) throw InputError(std::move(problems_));

        // Tables of single targets take precedence over the table for all targets.
        std::vector<LimitTable> tables;
        for (const Target& target : scenario_.targets) {
            if (target.use != SurfaceUse::absorber) continue;
            auto found = by_target_.find(target.name);
            if (found == by_target_.end() && !target.receiver.empty())
                found = by_target_.find(target.receiver);
            if (found == by_target_.end()) found = by_target_.find("");
            if (found == by_target_.end()) continue;
            tables.push_back(found->second(target));
            tables.back().target = target.name;
        }
        return tables;
    }

  private:
    void check_target(const std::string& place, const std::string& name) {
        if (name.empty() || scenario_.find_receiver(name)) return;
        if (const auto index = scenario_.find_target(name)) {
            const Target& target = scenario_.targets[*index];
            if (target.use == SurfaceUse::absorber) return;
            problems_.push_back({place,
                                 fmt::format("'{}' is a {}", name, to_string(target.use)),
                                 "limits apply to surfaces that absorb light",
                                 fmt::format("name receiver '{}' or one of its absorbing surfaces",
                                             target.receiver)});
            return;
        }
        std::vector<std::string> names;
        for (const Target& target : scenario_.targets) names.push_back(target.name);
        for (const Receiver& receiver : scenario_.receivers) names.push_back(receiver.name);
        problems_.push_back({place,
                             fmt::format("the scenario has no target '{}'", name),
                             "",
                             suggest(name, names)});
    }

    void read_csv() {
        const Range limits = kFluxLimits.times(1.0 / kKilowatt);
        const ColumnTable table(file_, {"flux_limit_kw_m2"}, {"x_m", "y_m", "target"}, problems_);
        if (!problems_.empty()) return;
        const bool has_places = table.has("x_m") || table.has("y_m");
        for (const char* column : {"x_m", "y_m"}) {
            if (table.has(column) || (!has_places && table.has("target"))) continue;
            problems_.push_back({file_.string(),
                                 fmt::format("lacks the column '{}'", column),
                                 "limits have places, or one number for each target",
                                 "add it, or write the columns target and flux_limit_kw_m2 alone"});
        }
        if (!problems_.empty()) return;
        std::map<std::string, double> constants;
        std::map<std::string, std::vector<GridRow>> rows;
        for (size_t i = 0; i < table.num_rows(); ++i) {
            const auto coordinate = [&](const char* column) {
                return has_places ? table.number(i, column, -kLengths.high, kLengths.high)
                                  : std::nullopt;
            };
            const auto x = coordinate("x_m");
            const auto y = coordinate("y_m");
            const auto limit = table.number(i, "flux_limit_kw_m2", limits.low, limits.high);
            if (limit && !limits.contains(*limit)) {
                problems_.push_back({table.place(i, "flux_limit_kw_m2"),
                                     fmt::format("{} is not above {}", *limit, limits.low),
                                     limits.why,
                                     "leave out the rows of places without a limit"});
            }
            const std::string name = table.has("target") ? table.text(i, "target") : "";
            if (!has_places && limit) {
                check_target(table.place(i, "target"), name);
                if (!constants.emplace(name, *limit * kKilowatt).second)
                    problems_.push_back({table.place(i, "target"),
                                         fmt::format("'{}' occurs twice", name),
                                         "each target has one limit",
                                         "keep one of the rows"});
                continue;
            }
            if (!rows.contains(name)) check_target(table.place(i, "target"), name);
            if (x && y && limit) rows[name].push_back({*x, *y, *limit * kKilowatt, table.place(i)});
        }
        if (!problems_.empty()) return;
        for (const auto& [name, limit] : constants)
            by_target_[name] = [limit](const Target& target) {
                return on_pixels({limit}, 1, 1, target);
            };
        for (const auto& [name, of_target] : rows) {
            if (auto grid = make_grid(of_target, file_.string(), {"x", "y"}, "limits", problems_))
                by_target_[name] = [grid = std::move(*grid)](const Target&) {
                    return LimitTable{"", grid};
                };
        }
    }

    void read_hdf5() {
        const hdf5::File file = hdf5::File::open(file_);
        const hdf5::Group root = file.root();
        if (root.contains("flux_limit")) add_map("", root);
        if (root.contains("targets")) {
            const hdf5::Group targets = root.group("targets");
            for (const std::string& name : targets.names()) {
                const hdf5::Group target = targets.group(name);
                if (!target.contains("flux_limit")) continue;
                check_target(target.where(), name);
                add_map(name, target);
            }
        }
        if (by_target_.empty() && problems_.empty()) {
            problems_.push_back({file_.string(),
                                 "has neither flux_limit nor targets/NAME/flux_limit",
                                 "",
                                 "write a dataset flux_limit [bitmap.height, bitmap.width]"});
        }
    }

    /// Checks a map and stores it until the size of its target is known.
    void add_map(const std::string& name, const hdf5::Group& group) {
        const hdf5::Dataset dataset = group.dataset("flux_limit");
        const std::string unit =
            dataset.has_attribute("unit") ? dataset.read_attribute_string("unit") : "W/m2";
        if (unit != "W/m2" && unit != "kW/m2") {
            problems_.push_back({dataset.where() + "@unit",
                                 fmt::format("'{}' is not a unit of flux", unit),
                                 "",
                                 "write W/m2 or kW/m2"});
            return;
        }
        const double factor = unit == "W/m2" ? 1.0 : kKilowatt;
        if (group.contains("x_m") && group.contains("y_m")) {
            if (auto grid = read_grid_dataset(
                    group, "flux_limit", {"x_m", "y_m"}, factor, "W/m2", kFluxLimits, problems_))
                by_target_[name] = [grid = std::move(*grid)](const Target&) {
                    return LimitTable{"", grid};
                };
            return;
        }
        const auto rows = static_cast<size_t>(config_.bitmap.height);
        const auto columns = static_cast<size_t>(config_.bitmap.width);
        if (dataset.shape() != hdf5::Shape{rows, columns}) {
            problems_.push_back({dataset.where(),
                                 fmt::format("has the shape {}, the bitmap {}",
                                             hdf5::to_string(dataset.shape()),
                                             hdf5::to_string({rows, columns})),
                                 "each limit belongs to a pixel of bitmap.height x bitmap.width",
                                 "change one of the two, or give the axes x_m and y_m of a grid, "
                                 "which is interpolated"});
            return;
        }
        std::vector<double> values = dataset.read<double>();
        for (double& value : values) value *= factor;
        const size_t before = problems_.size();
        check_values(values, columns, dataset.where(), "W/m2", kFluxLimits, problems_);
        if (problems_.size() != before) return;
        by_target_[name] = [values = std::move(values), rows, columns](const Target& target) {
            return on_pixels(values, rows, columns, target);
        };
    }

    /// Returns the coordinates of the first edge, the pixel centres, and the last edge.
    static std::vector<double> pixel_axis(size_t count, double extent) {
        std::vector<double> axis{-0.5 * extent};
        for (size_t i = 0; i < count; ++i) {
            const double share = (static_cast<double>(i) + 0.5) / static_cast<double>(count);
            axis.push_back((share - 0.5) * extent);
        }
        axis.push_back(0.5 * extent);
        return axis;
    }

    /// Converts a map, whose row 0 is the top, into a grid that reaches to the target's edges.
    static LimitTable on_pixels(const std::vector<double>& values,
                                size_t rows,
                                size_t columns,
                                const Target& target) {
        const auto [width, height] = surface_extent(target);
        ValueGrid grid;
        grid.x = pixel_axis(columns, width);
        grid.y = pixel_axis(rows, height);
        const auto nearest = [](size_t line, size_t count) {
            return std::clamp<size_t>(line, 1, count) - 1;
        };
        for (size_t i = 0; i < grid.y.size(); ++i) {
            const size_t row = rows - 1 - nearest(i, rows);
            for (size_t j = 0; j < grid.x.size(); ++j)
                grid.values.push_back(values[row * columns + nearest(j, columns)]);
        }
        return {"", std::move(grid)};
    }

    const RunConfig& config_;
    const Scenario& scenario_;
    const std::filesystem::path file_;
    std::vector<Problem> problems_;
    // Functions that build the table of a target, by name; "" for all targets.
    std::map<std::string, std::function<LimitTable(const Target&)>> by_target_;
};

}  // namespace

double LimitTable::limit_at(double x_m, double y_m) const {
    return grid.at(x_m, y_m).value_or(kNoLimit);
}

std::vector<std::string> limit_warnings(const std::vector<LimitTable>& tables,
                                        const Scenario& scenario) {
    std::vector<std::string> warnings;
    for (const LimitTable& table : tables) {
        const auto index = scenario.find_target(table.target);
        if (!index) continue;
        const auto [width, height] = surface_extent(scenario.targets[*index]);
        const auto share = [](const std::vector<double>& axis, double extent) {
            const double low = std::max(axis.front(), -0.5 * extent);
            const double high = std::min(axis.back(), 0.5 * extent);
            return std::max(0.0, high - low) / extent;
        };
        const double covered = share(table.grid.x, width) * share(table.grid.y, height);
        if (covered > 0.9999) continue;
        warnings.push_back(fmt::format(
            "the flux limits reach x from {:g} to {:g} m and y from {:g} to {:g} m of target '{}', "
            "which is {:.4g} x {:.4g} m: {:.1f} % of its surface have no limit",
            table.grid.x.front(),
            table.grid.x.back(),
            table.grid.y.front(),
            table.grid.y.back(),
            table.target,
            width,
            height,
            100.0 * (1.0 - covered)));
    }
    return warnings;
}

std::vector<LimitTable> read_limit_tables(const RunConfig& config, const Scenario& scenario) {
    if (!config.aiming.flux_limit_file) return {};
    try {
        return LimitReader(config, scenario).run();
    } catch (const InputError& error) {
        // Report the place of the key that names the file.
        std::vector<Problem> problems = error.problems();
        const std::string key = place_of(config, "aiming.flux_limit.file");
        for (Problem& problem : problems) problem.where = key + ": " + problem.where;
        throw InputError(std::move(problems));
    }
}

}  // namespace helioray
