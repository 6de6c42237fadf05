// SPDX-License-Identifier: MIT
// Reads states of heliostats row by row.
#include "scenario/inputs/state_table.h"

#include "scenario/files/hdf5/file.h"
#include "scenario/inputs/column_table.h"
#include "scenario/types/choices.h"
#include "scenario/types/run_config.h"
#include "scenario/types/utc_time.h"

#include <fmt/format.h>

#include <cmath>
#include <cstdint>
#include <utility>

namespace helioray {

namespace {

const std::vector<std::string> kColumns{"name",
                                        "time",
                                        "reflectivity",
                                        "soiling",
                                        "slope_error_mrad",
                                        "specularity_error_mrad",
                                        "tracking_bias_1_mrad",
                                        "tracking_bias_2_mrad",
                                        "tracking_error_mrad",
                                        "available",
                                        "target",
                                        "east",
                                        "north",
                                        "up",
                                        "dni_share"};

constexpr double kMrad = 1e-3;

/// Returns the datasets of the root group as the cells of a table.
CsvTable read_datasets(const std::filesystem::path& file, std::vector<Problem>& problems) {
    const hdf5::Group root = hdf5::File::open(file).root();
    CsvTable table;
    table.file = file.string();
    table.rows.emplace_back();
    for (const std::string& name : root.names()) {
        const hdf5::Dataset dataset = root.dataset(name);
        std::vector<std::string> cells;
        if (dataset.kind() == hdf5::ElementKind::string) {
            cells = dataset.read_strings();
        } else {
            for (const double value : root.read_numbers(name))
                cells.push_back(std::isnan(value) ? "" : fmt::format("{}", value));
        }
        CsvRow& header = table.rows.front();
        if (header.cells.empty()) table.rows.resize(cells.size() + 1);
        if (cells.size() + 1 != table.rows.size()) {
            problems.push_back({dataset.where(),
                                fmt::format("has {} entries, {} has {}",
                                            cells.size(),
                                            table.rows.front().cells.front(),
                                            table.rows.size() - 1),
                                "each entry belongs to a row",
                                "write columns of one length"});
            continue;
        }
        cells.insert(cells.begin(), name);
        for (size_t row = 0; row < cells.size(); ++row)
            table.rows[row].cells.push_back(std::move(cells[row]));
    }
    for (size_t row = 0; row < table.rows.size(); ++row) {
        // Row 0 is the header, so the first entry of each dataset is in line 1.
        table.rows[row].line = static_cast<int>(row);
        table.rows[row].columns.assign(table.rows[row].cells.size(), 1);
        table.rows[row].quoted.assign(table.rows[row].cells.size(), false);
    }
    return table;
}

/// Reads the cells of one table.
class StateReader {
  public:
    StateReader(const ColumnTable& table, std::vector<Problem>& problems)
        : table_(table), problems_(problems) {}

    StateConfig run() {
        StateConfig found;
        for (size_t row = 0; row < table_.num_rows(); ++row) {
            std::int64_t instant = INT64_MIN;
            if (is_given(row, "time")) {
                const auto time = table_.time(row, "time");
                if (!time) continue;
                instant = milliseconds_of(*time);
            }
            const std::string name = name_of(row);
            found.places.emplace(name, table_.place(row));
            if (found.rows[name].emplace(instant, read_row(row)).second) continue;
            problems_.push_back({table_.place(row, table_.has("name") ? "name" : ""),
                                 name.empty() ? "a row for all heliostats is given twice"
                                              : fmt::format("'{}' is given twice", name),
                                 "a heliostat has one state at a time",
                                 "keep one of the two, or give them different times"});
        }
        check_targets(found);
        return found;
    }

  private:
    bool is_given(size_t row, const std::string& column) const {
        return table_.has(column) && !table_.is_missing(row, column);
    }

    std::string name_of(size_t row) const {
        if (!is_given(row, "name")) return "";
        const std::string& name = table_.text(row, "name");
        return name == "all" ? "" : name;
    }

    void read(size_t row,
              const std::string& column,
              const Range& limits,
              double unit,
              std::optional<double>& member) const {
        if (!is_given(row, column)) return;
        const auto value = table_.number(row, column, limits.low / unit, limits.high / unit);
        if (value) member = *value * unit;
    }

    MirrorState read_row(size_t row) const {
        MirrorState state;
        const Range biases{-kAngularWidths.high, kAngularWidths.high};
        read(row, "reflectivity", kReflectivities, 1.0, state.reflectivity);
        read(row, "soiling", kSoilings, 1.0, state.soiling);
        read(row, "slope_error_mrad", kAngularWidths, kMrad, state.slope_error);
        read(row, "specularity_error_mrad", kAngularWidths, kMrad, state.specularity_error);
        read(row, "tracking_bias_1_mrad", biases, kMrad, state.tracking_bias[0]);
        read(row, "tracking_bias_2_mrad", biases, kMrad, state.tracking_bias[1]);
        read(row, "tracking_error_mrad", kAngularWidths, kMrad, state.tracking_error);
        read(row, "dni_share", kSunlitShares, 1.0, state.dni_share);
        if (is_given(row, "available")) state.available = table_.flag(row, "available");
        if (is_given(row, "target")) state.target = table_.text(row, "target");
        read_point(row, state);
        return state;
    }

    void read_point(size_t row, MirrorState& state) const {
        Vec3 point{};
        size_t given = 0;
        std::string missing;
        for (size_t axis = 0; axis < 3; ++axis) {
            const char* const column = std::array{"east", "north", "up"}[axis];
            if (!is_given(row, column)) {
                missing = column;
                continue;
            }
            ++given;
            const auto value = table_.number(row, column, -kLengths.high, kLengths.high);
            if (!value) return;
            point[axis] = *value;
        }
        if (given == 3) {
            state.point = point;
        } else if (given > 0) {
            problems_.push_back({table_.place(row, missing),
                                 "the aim point is incomplete",
                                 "it has the coordinates east, north and up",
                                 "give all three, or none"});
        }
    }

    /// Results of a series have one target for each heliostat.
    void check_targets(const StateConfig& found) {
        for (const auto& [name, rows] : found.rows) {
            for (const auto& [instant, state] : rows) {
                if (state.target == rows.begin()->second.target) continue;
                problems_.push_back({found.places.at(name),
                                     name.empty()
                                         ? "the target of all heliostats changes with time"
                                         : fmt::format("heliostat '{}' changes its target", name),
                                     "the result of a series has one target for each heliostat",
                                     "give it the same target in all rows"});
                break;
            }
        }
    }

    const ColumnTable& table_;
    std::vector<Problem>& problems_;
};

}  // namespace

StateConfig read_state_table(const std::filesystem::path& file,
                             std::vector<Problem>& problems,
                             std::optional<std::string>& warning) {
    const size_t before = problems.size();
    CsvTable rows = is_hdf5(file) ? read_datasets(file, problems) : read_csv(file);
    if (problems.size() != before) return {};
    const ColumnTable table(std::move(rows), {}, kColumns, problems);
    warning = table.warning();
    if (problems.size() != before) return {};
    return StateReader(table, problems).run();
}

}  // namespace helioray
