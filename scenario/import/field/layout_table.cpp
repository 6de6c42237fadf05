// SPDX-License-Identifier: MIT
// Reads tables of heliostats and checks their rows one by one.
#include "scenario/files/error.h"
#include "scenario/import/field/build_field.h"
#include "scenario/import/field/layout_columns.h"
#include "scenario/inputs/raw_table.h"
#include "scenario/reader/read_log.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace helioray {

namespace {

constexpr double kFarthest = 1e6;  // metres; larger coordinates indicate a wrong unit

class TableReader {
  public:
    TableReader(const RawTable& table, const FieldTemplate& field, TableHeight height, ReadLog& log)
        : table_(table), field_(field), height_(height), log_(log) {}

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
        columns_ = find_columns(table_, !field_.types.empty(), !field_.towers.empty(), log_);
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
        return field_.heliostat.pivot_height > 0.0;
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

    /// Returns a fraction from 0 to 1.
    std::optional<double> share(const CsvRow& row, ColumnRole role) {
        const std::string& cell = text(row, role);
        if (cell.empty()) return std::nullopt;
        const auto value = table_.number(cell);
        if (value && *value >= 0.0 && *value <= 1.0) return value;
        const LayoutColumn& column = columns_.at(role);
        log_.problem(table_.where(row, column.cell),
                     fmt::format("{}: '{}' is not a number from 0 to 1", column.header, cell),
                     role == ColumnRole::clean_share
                         ? "it is the share of the reflectivity that soiling leaves"
                         : "it is a share of the power",
                     value ? "" : table_.number_advice(cell));
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
        place.pivot = {x.value_or(0.0), y.value_or(0.0), z};
        if (x && y) {
            place.tower = tower(row, place.pivot);
            place.type = type(row, place);
        }
        if (add_pivot) place.pivot[2] += find_heliostat(field_, place.type).pivot_height;
        if (stands_on_terrain() && x && y) place.pivot[2] += ground(row, place.pivot);
        read_aim(row, place);
        place.focal_lengths = focal_lengths(row);
        place.canting_distance = positive(row, ColumnRole::canting);
        place.reflectivity = share(row, ColumnRole::reflectivity);
        place.clean_share = share(row, ColumnRole::clean_share);
        place.enabled = flag(row, ColumnRole::enabled);
        place.name = name(row, number_in_table);
        return place;
    }

    /// Heights that a table does not give are those of the terrain.
    bool stands_on_terrain() const {
        return field_.terrain.ground && (!has(ColumnRole::z) || is_flat_);
    }

    double ground(const CsvRow& row, const Vec3& at) {
        const auto height = ground_height(field_, at[0], at[1]);
        if (!height)
            log_.problem(fmt::format("{}:{}", table_.file(), row.line),
                         fmt::format("({:.6g}, {:.6g}) is outside of the terrain", at[0], at[1]),
                         "the heliostat stands on it",
                         "check site.terrain.origin_m, extend the terrain, or add a column z");
        return height.value_or(0.0);
    }

    /// Returns the index of a heliostat's tower: that of its row, or else the nearest.
    size_t tower(const CsvRow& row, const Vec3& at) {
        const std::string& name = text(row, ColumnRole::tower);
        if (name.empty()) return nearest_tower(field_, at[0], at[1]);
        const auto found = std::ranges::find(field_.towers, name, &TowerTemplate::name);
        if (found != field_.towers.end()) return static_cast<size_t>(found - field_.towers.begin());
        std::vector<std::string> names;
        for (const TowerTemplate& known : field_.towers) names.push_back(known.name);
        log_.problem(table_.where(row, columns_.at(ColumnRole::tower).cell),
                     fmt::format("there is no tower '{}'", name),
                     "the template's towers names them",
                     suggest(name, names));
        return 0;
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

    /// Returns the index of a heliostat's type: that of its row, or else by its distance from the
    /// tower's axis.
    std::optional<size_t> type(const CsvRow& row, const HeliostatPlace& place) {
        const std::vector<HeliostatType>& types = field_.types;
        if (types.empty()) return std::nullopt;
        const std::string& name = text(row, ColumnRole::type);
        const size_t cell = has(ColumnRole::type) ? columns_.at(ColumnRole::type).cell : 0;
        if (name.empty()) {
            const double radius = distance_from_tower(field_, place);
            const auto by_radius = find_type(field_, radius);
            if (by_radius) return by_radius;
            log_.problem(table_.where(row, cell),
                         "the heliostat has no type",
                         fmt::format("no max_radius_m decides it at {:.1f} m", radius),
                         "name one of heliostat_types in a column 'type', or give max_radius_m to "
                         "all of them except one");
            return std::nullopt;
        }
        const auto found = std::ranges::find(types, name, &HeliostatType::name);
        if (found != types.end()) return static_cast<size_t>(found - types.begin());
        std::vector<std::string> names;
        for (const HeliostatType& known : types) names.push_back(known.name);
        log_.problem(table_.where(row, cell),
                     fmt::format("there is no heliostat type '{}'", name),
                     "the template's heliostat_types names them",
                     suggest(name, names));
        return std::nullopt;
    }

    std::optional<std::array<double, 2>> focal_lengths(const CsvRow& row) {
        if (has(ColumnRole::focal)) {
            const auto both = positive(row, ColumnRole::focal);
            if (both) return std::array{*both, *both};
            return std::nullopt;
        }
        constexpr double kRounding = 1e-6;
        const auto x = positive(row, ColumnRole::focal_x);
        const auto y = positive(row, ColumnRole::focal_y);
        if (!x && !y) return std::nullopt;
        if (x && y && std::abs(*x - *y) > kRounding * *x) return std::array{*x, *y};
        const double both = x ? *x : *y;
        return std::array{both, both};
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
        if (has(ColumnRole::clean_share))
            log_.warn(table_.file(),
                      fmt::format("{} taken as SolarPILOT's: the share that is left",
                                  columns_.at(ColumnRole::clean_share).header));
        if (stands_on_terrain()) {
            log_.warn(table_.file(), "pivots stand on the terrain");
            return;
        }
        const std::string above = field_.types.empty()
                                      ? fmt::format("{} m", field_.heliostat.pivot_height)
                                      : std::string("by the pivot_height_m of their type");
        if (!has(ColumnRole::z)) {
            log_.warn(table_.file(), fmt::format("no z column: pivots assumed {} above 0", above));
        } else if (is_flat_) {
            log_.warn(table_.file(),
                      fmt::format("z is 0 in all rows: taken as the ground, pivots {} above it; "
                                  "for pivots at 0 set heliostat.pivot_height_m to 0",
                                  above));
        } else if (height_ == TableHeight::ground) {
            log_.warn(table_.file(),
                      fmt::format("z taken as the ground, pivots {} above it", above));
        } else {
            log_.warn(table_.file(), "z taken as the height of the pivots");
        }
    }

    const RawTable& table_;
    const FieldTemplate& field_;
    TableHeight height_;
    ReadLog& log_;
    LayoutColumns columns_;
    std::map<std::string, int> names_;
    size_t digits_ = 1;
    bool is_flat_ = false;  // all heights are 0
};

}  // namespace

std::vector<HeliostatPlace> read_layout_table(const CsvTable& table,
                                              const FieldTemplate& field,
                                              TableHeight height,
                                              ReadLog& log) {
    // Read the other rows even if some have a wrong length, so that all problems are reported.
    std::vector<Problem> problems;
    const RawTable rows(table, problems);
    std::vector<HeliostatPlace> places = TableReader(rows, field, height, log).read();
    for (const Problem& problem : problems)
        log.problem(problem.where, problem.what, problem.why, problem.advice);
    if (places.empty() && !log.has_problems())
        log.problem(rows.file(), "has no heliostat", "only a header", "add a line for each");
    return places;
}

}  // namespace helioray
