// SPDX-License-Identifier: MIT
// Reads tables of heliostats: interprets their columns and checks rows one by one.
#include "scenario/import/field/build_field.h"
#include "scenario/inputs/raw_table.h"
#include "scenario/inputs/table_columns.h"
#include "scenario/reader/read_log.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace helioray {

namespace {

enum class ColumnRole {
    name,
    number,
    x,
    y,
    z,
    aim_x,
    aim_y,
    aim_z,
    focal,
    focal_x,
    focal_y,
    canting,
    in_layout,
    enabled,
};

struct LayoutColumn {
    size_t cell = 0;     ///< index in a row
    double scale = 1.0;  ///< metres per unit of the column
    std::string header;
};

using LayoutColumns = std::map<ColumnRole, LayoutColumn>;

bool is_one_of(const std::string& name, const std::vector<std::string>& names) {
    return std::find(names.begin(), names.end(), name) != names.end();
}

/// Returns true for "x", "east" (only if `alone`), "loc_x", "x_location" and similar names.
bool is_axis_of(const std::string& name,
                size_t axis,
                const std::vector<std::string>& stems,
                bool alone) {
    static const std::vector<std::string> kAxes[3] = {
        {"x", "e", "east", "easting"}, {"y", "n", "north", "northing"}, {"z", "u", "up", "zenith"}};
    for (const std::string& word : kAxes[axis]) {
        // This matches "X(East)" of solsticepy.
        if (alone && (name == word || name == kAxes[axis][0] + "_" + word)) return true;
        for (const std::string& stem : stems) {
            if (name == stem + "_" + word || name == word + "_" + stem) return true;
        }
    }
    return false;
}

std::optional<ColumnRole> find_role(const std::string& name) {
    using Role = ColumnRole;
    static const std::vector<std::string> kPlaces{
        "loc", "location", "pos", "position", "coordinate", "coord", "pivot", "heliostat"};
    static const std::vector<std::string> kAims{"aim", "aimpoint", "aim_point", "aim_pt"};
    static const std::vector<std::string> kFocals{"focal", "focus", "focal_length"};
    constexpr Role kPlaceRoles[] = {Role::x, Role::y, Role::z};
    constexpr Role kAimRoles[] = {Role::aim_x, Role::aim_y, Role::aim_z};
    for (size_t axis = 0; axis < 3; ++axis) {
        if (is_axis_of(name, axis, kPlaces, true)) return kPlaceRoles[axis];
        if (is_axis_of(name, axis, kAims, false)) return kAimRoles[axis];
    }
    if (is_axis_of(name, 0, kFocals, false)) return Role::focal_x;
    if (is_axis_of(name, 1, kFocals, false)) return Role::focal_y;
    if (is_one_of(name, {"focal_length", "focal", "focus", "f"})) return Role::focal;
    if (is_one_of(name, {"cant", "canting", "cant_distance", "canting_distance"}))
        return Role::canting;
    if (is_one_of(name, {"name", "heliostat", "heliostat_name"})) return Role::name;
    if (is_one_of(name, {"id", "heliostat_id", "number", "no", "index", "heliostat_number"}))
        return Role::number;
    if (name == "in_layout") return Role::in_layout;
    if (name == "enabled") return Role::enabled;
    return std::nullopt;
}

bool is_length(ColumnRole role) {
    return role != ColumnRole::name && role != ColumnRole::number &&
           role != ColumnRole::in_layout && role != ColumnRole::enabled;
}

/// Returns true for names that surveyors use for the height of the pivots beside east and north.
bool is_surveyed_height(const std::string& name) {
    return is_one_of(name,
                     {"elevation", "altitude", "height", "zenith", "z_zenith", "elev", "alt"});
}

/// Returns true for the vectors that SolarPILOT writes, which follow from the positions and have no
/// influence.
bool is_derived(const std::string& name) {
    return name == "cant_vect" || name == "row" || name == "column";
}

/// Returns the advice for a column whose values differ between heliostats.
std::string advice_for(const std::string& name) {
    if (is_one_of(name, {"reflectivity", "reflectance"}))
        return "move it to a table of states (state.file of the configuration) with the columns "
               "name and reflectivity";
    if (name == "soiling")
        return "move it to a table of states (state.file of the configuration) with the columns "
               "name and soiling, the share that is lost; SolarPILOT's soiling is the share that "
               "is left";
    return "make a layout and template for each, or remove the column if it does not matter";
}

/// Reports an unknown column. If its values differ between heliostats and could affect the result,
/// using the template's value for all would change the field, so this is a problem.
void report_unknown(const RawTable& table, const TableHeader& header, ReadLog& log) {
    const std::string where = table.where(header);
    std::string first;
    bool differ = false;
    for (size_t i = 0; i < table.num_rows(); ++i) {
        const std::string& cell = table.text(i, header.cell);
        if (is_missing_cell(cell)) continue;
        differ = differ || (!first.empty() && cell != first);
        if (first.empty()) first = cell;
    }
    const bool decides = could_decide(header.name) && !is_derived(header.name);
    if (decides && differ) {
        log.problem(
            where,
            fmt::format("column '{}' has different values, such as '{}'", header.text, first),
            "all heliostats would have the template's",
            advice_for(header.name));
    } else if (decides && !first.empty()) {
        log.warn(where,
                 fmt::format("column '{}' ({} for all) ignored: the template's value counts",
                             header.text,
                             first));
    } else {
        log.warn(where, fmt::format("column '{}' ignored", header.text));
    }
}

/// Interprets the header of a table; unknown units and columns with the same meaning are problems.
LayoutColumns find_columns(const RawTable& table, ReadLog& log) {
    LayoutColumns columns;
    std::vector<const TableHeader*> unknown;
    const auto add = [&](ColumnRole role, const TableHeader& header) {
        const std::string where = table.where(header);
        LayoutColumn found{header.cell, 1.0, header.text};
        if (is_length(role) && header.unit && *header.unit != "-") {
            const auto scale = unit_factor(*header.unit, "m");
            if (!scale) {
                log.problem(
                    where,
                    fmt::format("{}: '{}' is no known unit of length", header.text, *header.unit),
                    "",
                    "use m, mm, cm, km or ft");
                return;
            }
            found.scale = *scale;
        }
        const auto [first, is_new] = columns.emplace(role, found);
        if (!is_new) {
            log.problem(
                where,
                fmt::format(
                    "column '{}' says the same as column '{}'", header.text, first->second.header),
                "",
                "remove or rename one of them");
        }
    };
    for (const std::string& column : table.unnamed_columns())
        log.warn(table.file(), column + " ignored");
    for (const TableHeader& header : table.headers()) {
        if (const auto role = find_role(header.name)) {
            add(*role, header);
        } else {
            unknown.push_back(&header);
        }
    }
    for (const TableHeader* header : unknown) {
        const bool is_plan = columns.contains(ColumnRole::x) && columns.contains(ColumnRole::y);
        if (is_plan && !columns.contains(ColumnRole::z) && is_surveyed_height(header->name)) {
            add(ColumnRole::z, *header);
        } else {
            report_unknown(table, *header, log);
        }
    }
    return columns;
}

constexpr double kFarthest = 1e6;  // metres; larger coordinates indicate a wrong unit

class TableReader {
  public:
    TableReader(const RawTable& table, double pivot_height, TableHeight height, ReadLog& log)
        : table_(table), pivot_height_(pivot_height), height_(height), log_(log) {}

    std::vector<HeliostatPlace> read() {
        if (table_.starts_with_numbers()) {
            log_.problem(table_.where(table_.row(0), 0),
                         "the first line has numbers only",
                         "columns are known by their names",
                         "write a header such as 'x [m],y [m],z [m]' above it");
            return {};
        }
        if (table_.headers().empty()) {
            log_.problem(table_.file(),
                         "is empty",
                         "it holds the positions",
                         "write a header such as 'name,x [m],y [m],z [m]'");
            return {};
        }
        columns_ = find_columns(table_, log_);
        check_roles();
        if (log_.has_problems()) return {};
        digits_ = std::to_string(table_.num_rows()).size();
        // Aim points have the same origin of heights as the positions, which must then stay.
        is_flat_ = has(ColumnRole::z) && !has(ColumnRole::aim_z) && height_ == TableHeight::pivot &&
                   is_all_zero();
        std::vector<HeliostatPlace> places;
        for (size_t i = 0; i < table_.num_rows(); ++i) {
            if (auto place = read_row(table_.row(i), i + 1)) places.push_back(std::move(*place));
        }
        report();
        return places;
    }

  private:
    bool has(ColumnRole role) const { return columns_.contains(role); }

    void check_roles() {
        using Role = ColumnRole;
        const std::string header = fmt::format("{}:{}", table_.file(), table_.header_line());
        for (const auto& [role, name] : {std::pair{Role::x, "x"}, {Role::y, "y"}}) {
            if (has(role)) continue;
            log_.problem(header,
                         fmt::format("there is no column '{}'", name),
                         "positions need it",
                         "name the columns x, y, z or east, north, up");
        }
        const int aims = has(Role::aim_x) + has(Role::aim_y) + has(Role::aim_z);
        if (aims != 0 && aims != 3) {
            log_.problem(header,
                         "an aim point has three columns",
                         "one is missing",
                         "add aim_x, aim_y and aim_z");
        }
        if (has(Role::focal) && (has(Role::focal_x) || has(Role::focal_y))) {
            log_.problem(header, "focal lengths stand in two columns", "", "keep one");
        }
    }

    /// Returns true if every height is 0: the table describes flat ground, since no pivot lies on
    /// it.
    bool is_all_zero() const {
        for (size_t i = 0; i < table_.num_rows(); ++i) {
            const std::string& cell = text(table_.row(i), ColumnRole::z);
            if (!cell.empty() && table_.number(cell) != 0.0) return false;
        }
        return pivot_height_ > 0.0;
    }

    const std::string& text(const CsvRow& row, ColumnRole role) const {
        static const std::string kNone;
        const auto column = columns_.find(role);
        if (column == columns_.end() || column->second.cell >= row.cells.size()) return kNone;
        const std::string& cell = row.cells[column->second.cell];
        return is_missing_cell(cell) ? kNone : cell;
    }

    /// Returns the number in metres, or no value for an empty cell and, with a problem, for a wrong
    /// one.
    std::optional<double> number(const CsvRow& row, ColumnRole role) {
        const std::string& cell = text(row, role);
        if (cell.empty()) return std::nullopt;
        const LayoutColumn& column = columns_.at(role);
        const auto value = table_.number(cell);
        if (!value || !std::isfinite(*value)) {
            log_.problem(table_.where(row, column.cell),
                         fmt::format("{}: '{}' is not a finite number", column.header, cell),
                         "",
                         table_.number_advice(cell));
            return std::nullopt;
        }
        if (std::abs(*value * column.scale) > kFarthest) {
            log_.problem(table_.where(row, column.cell),
                         fmt::format("{}: {} is too large", column.header, cell),
                         fmt::format("it would be more than {:g} km", kFarthest * 1e-3),
                         "check its unit");
            return std::nullopt;
        }
        return *value * column.scale;
    }

    std::optional<double> coordinate(const CsvRow& row, ColumnRole role) {
        if (text(row, role).empty()) {
            log_.problem(table_.where(row, columns_.at(role).cell),
                         fmt::format("{} is missing", columns_.at(role).header),
                         "a position needs it",
                         "");
            return std::nullopt;
        }
        return number(row, role);
    }

    std::optional<double> positive(const CsvRow& row, ColumnRole role) {
        const auto value = number(row, role);
        if (!value || *value > 0.0) return value;
        const LayoutColumn& column = columns_.at(role);
        log_.problem(table_.where(row, column.cell),
                     fmt::format("{}: {} is not above 0", column.header, text(row, role)),
                     "it is a length",
                     "leave the cell empty for the template's value");
        return std::nullopt;
    }

    /// Returns 0 or 1; true if there is no such column.
    bool flag(const CsvRow& row, ColumnRole role) {
        const std::string& cell = text(row, role);
        if (cell.empty()) return true;
        if (const auto value = parse_switch(cell)) return *value;
        log_.problem(table_.where(row, columns_.at(role).cell),
                     fmt::format("'{}' is neither true nor false", cell),
                     "",
                     "");
        return true;
    }

    std::optional<HeliostatPlace> read_row(const CsvRow& row, size_t number_in_table) {
        if (!flag(row, ColumnRole::in_layout)) {
            log_.warn(table_.where(row, 0), "not in the layout, left out");
            return std::nullopt;
        }
        HeliostatPlace place;
        place.where = fmt::format("{}:{}", table_.file(), row.line);
        const auto x = coordinate(row, ColumnRole::x);
        const auto y = coordinate(row, ColumnRole::y);
        const double z = has(ColumnRole::z) ? coordinate(row, ColumnRole::z).value_or(0.0) : 0.0;
        const bool add_pivot = !has(ColumnRole::z) || is_flat_ || height_ == TableHeight::ground;
        place.pivot = {x.value_or(0.0), y.value_or(0.0), z + (add_pivot ? pivot_height_ : 0.0)};
        read_aim(row, place);
        place.focal_length = focal_length(row);
        place.canting_distance = positive(row, ColumnRole::canting);
        place.enabled = flag(row, ColumnRole::enabled);
        place.name = name(row, number_in_table);
        return place;
    }

    void read_aim(const CsvRow& row, HeliostatPlace& place) {
        const std::array<ColumnRole, 3> roles{
            ColumnRole::aim_x, ColumnRole::aim_y, ColumnRole::aim_z};
        if (!has(roles[0])) return;
        size_t given = 0;
        for (const ColumnRole role : roles) given += !text(row, role).empty();
        if (given == 0) return;
        if (given < 3) {
            log_.problem(table_.where(row, columns_.at(roles[0]).cell),
                         "the aim point is incomplete",
                         "",
                         "give all three or none");
            return;
        }
        Vec3 aim{};
        for (size_t i = 0; i < 3; ++i) aim[i] = number(row, roles[i]).value_or(0.0);
        place.aim = aim;
    }

    std::optional<double> focal_length(const CsvRow& row) {
        if (has(ColumnRole::focal)) return positive(row, ColumnRole::focal);
        const auto x = positive(row, ColumnRole::focal_x);
        const auto y = positive(row, ColumnRole::focal_y);
        if (x && y && std::abs(*x - *y) > 1e-6 * *x) {
            log_.problem(table_.where(row, columns_.at(ColumnRole::focal_x).cell),
                         fmt::format("focal lengths {} and {} m differ", *x, *y),
                         "facets have one focal length",
                         "use one value for both");
        }
        return x ? x : y;
    }

    std::string name(const CsvRow& row, size_t number_in_table) {
        std::string text_of_name = text(row, ColumnRole::name);
        ColumnRole role = ColumnRole::name;
        if (text_of_name.empty() && !text(row, ColumnRole::number).empty()) {
            role = ColumnRole::number;
            text_of_name = fmt::format("H{:0>{}}", text(row, role), digits_);
        }
        if (text_of_name.empty()) text_of_name = fmt::format("H{:0{}}", number_in_table, digits_);
        const size_t cell = has(role) ? columns_.at(role).cell : row.cells.size();
        const bool is_link = text_of_name != "." && text_of_name.find('/') == std::string::npos &&
                             text_of_name.find('\n') == std::string::npos;
        if (!is_link) {
            log_.problem(table_.where(row, cell),
                         fmt::format("'{}' cannot be a name in a scenario file", text_of_name),
                         "names are HDF5 links",
                         "use a name without '/'");
        }
        const auto [first, is_new] = names_.emplace(text_of_name, row.line);
        if (!is_new) {
            log_.problem(table_.where(row, cell),
                         fmt::format("heliostat '{}' is given twice", text_of_name),
                         fmt::format("first in line {}", first->second),
                         "names must differ");
        }
        return text_of_name;
    }

    void report() {
        if (!has(ColumnRole::z)) {
            log_.warn(table_.file(),
                      fmt::format("no z column: pivots assumed {} m above 0", pivot_height_));
        } else if (is_flat_) {
            log_.warn(table_.file(),
                      fmt::format("z is 0 in all rows: taken as the ground, pivots {} m above it; "
                                  "for pivots at 0 set heliostat.pivot_height_m to 0",
                                  pivot_height_));
        } else if (height_ == TableHeight::ground) {
            log_.warn(table_.file(),
                      fmt::format("z taken as the ground, pivots {} m above it", pivot_height_));
        } else {
            log_.warn(table_.file(), "z taken as the height of the pivots");
        }
    }

    const RawTable& table_;
    double pivot_height_;
    TableHeight height_;
    ReadLog& log_;
    LayoutColumns columns_;
    std::map<std::string, int> names_;
    size_t digits_ = 1;
    bool is_flat_ = false;  // all heights are 0
};

}  // namespace

std::vector<HeliostatPlace> read_layout_table(const CsvTable& table,
                                              double pivot_height,
                                              TableHeight height,
                                              ReadLog& log) {
    // Read the other rows even if some have a wrong length, so that all problems are reported.
    std::vector<Problem> problems;
    const RawTable rows(table, problems);
    std::vector<HeliostatPlace> places = TableReader(rows, pivot_height, height, log).read();
    for (const Problem& problem : problems)
        log.problem(problem.where, problem.what, problem.why, problem.advice);
    if (places.empty() && !log.has_problems())
        log.problem(rows.file(), "has no heliostat", "only a header", "add a line for each");
    return places;
}

}  // namespace helioray
