// SPDX-License-Identifier: MIT
// Tables of heliostats: what their columns mean, and rows checked one by one.
#include "scenario/config/section.h"
#include "scenario/field/build_field.h"
#include "scenario/files/csv.h"
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

struct LayoutColumns {
    std::map<ColumnRole, LayoutColumn> roles;
    size_t num_cells = 0;  ///< of the header, without empty cells at its end
    size_t first_row = 0;  ///< index of the first row of data
};

/// Lower case, words joined by '_': "Loc. X" becomes "loc_x".
std::string normalised(const std::string& text) {
    std::string words;
    for (const char c : text) {
        const auto byte = static_cast<unsigned char>(c);
        if (std::isalnum(byte)) {
            words += static_cast<char>(std::tolower(byte));
        } else if (!words.empty() && words.back() != '_') {
            words += '_';
        }
    }
    while (!words.empty() && words.back() == '_') words.pop_back();
    return words;
}

/// "m" of "x [m]" and "x (m)", with the name that stands before; the unit alone of "[m]".
struct NameAndUnit {
    std::string name;
    std::optional<std::string> unit;
};

NameAndUnit split_unit(const std::string& header) {
    constexpr std::array<const char*, 3> kBrackets{"[]", "()", "<>"};
    for (const char* pair : kBrackets) {
        const size_t open = header.find(pair[0]);
        const size_t close = header.rfind(pair[1]);
        if (open == std::string::npos || close == std::string::npos || close < open) continue;
        return {normalised(header.substr(0, open)), header.substr(open + 1, close - open - 1)};
    }
    const std::string name = normalised(header);
    for (const char* unit : {"_mm", "_cm", "_km", "_ft", "_m"}) {
        if (name.ends_with(unit))
            return {name.substr(0, name.size() - std::string(unit).size()), std::string(unit + 1)};
    }
    return {name, std::nullopt};
}

std::optional<double> metres_per(const std::string& unit) {
    static const std::map<std::string, double> kUnits{{"m", 1.0},
                                                      {"metre", 1.0},
                                                      {"metres", 1.0},
                                                      {"meter", 1.0},
                                                      {"meters", 1.0},
                                                      {"mm", 1e-3},
                                                      {"cm", 1e-2},
                                                      {"km", 1e3},
                                                      {"ft", 0.3048}};
    const auto it = kUnits.find(normalised(unit));
    if (it == kUnits.end()) return std::nullopt;
    return it->second;
}

bool is_one_of(const std::string& name, const std::vector<std::string>& names) {
    return std::find(names.begin(), names.end(), name) != names.end();
}

/// True for "x", "east" (only when `alone`), "loc_x", "x_location" and their like.
bool is_axis_of(const std::string& name,
                size_t axis,
                const std::vector<std::string>& stems,
                bool alone) {
    static const std::vector<std::string> kAxes[3] = {
        {"x", "e", "east", "easting"}, {"y", "n", "north", "northing"}, {"z", "u", "up"}};
    for (const std::string& word : kAxes[axis]) {
        if (alone && name == word) return true;
        for (const std::string& stem : stems) {
            if (name == stem + "_" + word || name == word + "_" + stem) return true;
        }
    }
    return false;
}

std::optional<ColumnRole> role_of(const std::string& name) {
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

/// A line of units: every cell is empty or stands in brackets.
bool is_units(const CsvRow& row) {
    return std::all_of(row.cells.begin(), row.cells.end(), [](const std::string& cell) {
        return cell.empty() || (cell.front() == '[' && cell.back() == ']') ||
               (cell.front() == '<' && cell.back() == '>') ||
               (cell.front() == '(' && cell.back() == ')');
    });
}

/// Understands header and units of a table; ignored columns go to the log as remarks, unknown units
/// and columns with the same meaning as problems.
LayoutColumns find_columns(const CsvTable& table, ReadLog& log) {
    LayoutColumns columns;
    const CsvRow& header = table.rows.front();
    columns.first_row = 1;
    const CsvRow* units = nullptr;
    if (table.rows.size() > 1 && is_units(table.rows[1])) {
        units = &table.rows[1];
        columns.first_row = 2;
    }
    for (size_t i = 0; i < header.cells.size(); ++i) {
        if (header.cells[i].empty()) continue;
        columns.num_cells = i + 1;
        NameAndUnit column = split_unit(header.cells[i]);
        if (units && i < units->cells.size() && !units->cells[i].empty())
            column.unit = split_unit(units->cells[i]).unit;
        const auto role = role_of(column.name);
        if (!role) {
            log.warn(table.where(header, i), fmt::format("column '{}' ignored", header.cells[i]));
            continue;
        }
        LayoutColumn found{i, 1.0, header.cells[i]};
        if (is_length(*role) && column.unit) {
            const auto scale = metres_per(*column.unit);
            if (!scale) {
                log.problem(table.where(header, i),
                            fmt::format("'{}' is no known unit of length", *column.unit),
                            "",
                            "use m, mm, cm, km or ft");
                continue;
            }
            found.scale = *scale;
        }
        const auto [first, is_new] = columns.roles.emplace(*role, found);
        if (!is_new) {
            log.problem(table.where(header, i),
                        fmt::format("column '{}' says the same as column '{}'",
                                    header.cells[i],
                                    first->second.header),
                        "",
                        "remove or rename one of them");
        }
    }
    return columns;
}

constexpr double kFarthest = 1e6;  // metres; beyond is a mistake of unit

class TableReader {
  public:
    TableReader(const CsvTable& table, double pivot_height, TableHeight height, ReadLog& log)
        : table_(table), pivot_height_(pivot_height), height_(height), log_(log) {}

    std::vector<HeliostatPlace> read() {
        if (table_.rows.empty()) {
            log_.problem(table_.file,
                         "is empty",
                         "it holds the positions",
                         "write a header such as 'name,x [m],y [m],z [m]'");
            return {};
        }
        if (!has_header()) return {};
        columns_ = find_columns(table_, log_);
        check_roles();
        if (log_.has_problems()) return {};
        digits_ = std::to_string(table_.rows.size() - columns_.first_row).size();
        std::vector<HeliostatPlace> places;
        for (size_t i = columns_.first_row; i < table_.rows.size(); ++i) {
            if (auto place = read_row(table_.rows[i], i - columns_.first_row + 1))
                places.push_back(std::move(*place));
        }
        if (places.empty() && !log_.has_problems())
            log_.problem(table_.file, "has no heliostat", "only a header", "add a line for each");
        report();
        return places;
    }

  private:
    bool has(ColumnRole role) const { return columns_.roles.count(role) != 0; }

    bool has_header() {
        const CsvRow& first = table_.rows.front();
        const bool numbers_only =
            std::all_of(first.cells.begin(), first.cells.end(), [](const std::string& cell) {
                return cell.empty() || parse_number(cell).has_value();
            });
        if (numbers_only) {
            log_.problem(table_.where(first, 0),
                         "the first line has numbers only",
                         "columns are known by their names",
                         "write a header such as 'x [m],y [m],z [m]' above it");
        }
        return !numbers_only;
    }

    void check_roles() {
        using Role = ColumnRole;
        const CsvRow& header = table_.rows.front();
        for (const auto& [role, name] : {std::pair{Role::x, "x"}, {Role::y, "y"}}) {
            if (has(role)) continue;
            log_.problem(table_.where(header, header.cells.size()),
                         fmt::format("there is no column '{}'", name),
                         "positions need it",
                         "name the columns x, y, z or east, north, up");
        }
        const int aims = has(Role::aim_x) + has(Role::aim_y) + has(Role::aim_z);
        if (aims != 0 && aims != 3) {
            log_.problem(table_.where(header, header.cells.size()),
                         "an aim point has three columns",
                         "one is missing",
                         "add aim_x, aim_y and aim_z");
        }
        if (has(Role::focal) && (has(Role::focal_x) || has(Role::focal_y))) {
            log_.problem(table_.where(header, columns_.roles[Role::focal].cell),
                         "focal lengths stand in two columns",
                         "",
                         "keep one");
        }
    }

    const std::string& text(const CsvRow& row, ColumnRole role) const {
        static const std::string kNone;
        const auto column = columns_.roles.find(role);
        if (column == columns_.roles.end() || column->second.cell >= row.cells.size()) return kNone;
        const std::string& cell = row.cells[column->second.cell];
        // SolarPILOT's word for nothing.
        return cell == "NULL" || cell == "null" ? kNone : cell;
    }

    /// Metres; nothing for an empty cell, and, with a problem, for a wrong one.
    std::optional<double> number(const CsvRow& row, ColumnRole role) {
        const std::string& cell = text(row, role);
        if (cell.empty()) return std::nullopt;
        const LayoutColumn& column = columns_.roles.at(role);
        const auto value = parse_number(cell);
        if (!value || !std::isfinite(*value)) {
            const bool has_comma = cell.find(',') != std::string::npos;
            log_.problem(table_.where(row, column.cell),
                         fmt::format("{}: '{}' is not a finite number", column.header, cell),
                         "",
                         has_comma ? "write a decimal point, not a comma"
                                   : "write digits alone, such as 12.5");
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
            log_.problem(table_.where(row, columns_.roles.at(role).cell),
                         fmt::format("{} is missing", columns_.roles.at(role).header),
                         "a position needs it",
                         "");
            return std::nullopt;
        }
        return number(row, role);
    }

    std::optional<double> positive(const CsvRow& row, ColumnRole role) {
        const auto value = number(row, role);
        if (!value || *value > 0.0) return value;
        const LayoutColumn& column = columns_.roles.at(role);
        log_.problem(table_.where(row, column.cell),
                     fmt::format("{}: {} is not above 0", column.header, text(row, role)),
                     "it is a length",
                     "leave the cell empty for the template's value");
        return std::nullopt;
    }

    /// 0 or 1; true where there is no such column.
    bool flag(const CsvRow& row, ColumnRole role) {
        const std::string& cell = text(row, role);
        if (cell.empty() || cell == "1" || cell == "true" || cell == "TRUE") return true;
        if (cell == "0" || cell == "false" || cell == "FALSE") return false;
        log_.problem(table_.where(row, columns_.roles.at(role).cell),
                     fmt::format("'{}' is neither 0 nor 1", cell),
                     "",
                     "");
        return true;
    }

    std::optional<HeliostatPlace> read_row(const CsvRow& row, size_t number_in_table) {
        if (row.cells.size() > columns_.num_cells) {
            const bool rest_is_empty =
                std::all_of(row.cells.begin() + static_cast<std::ptrdiff_t>(columns_.num_cells),
                            row.cells.end(),
                            [](const std::string& cell) { return cell.empty(); });
            if (!rest_is_empty) {
                log_.problem(
                    table_.where(row, columns_.num_cells),
                    fmt::format(
                        "{} cells, the header has {}", row.cells.size(), columns_.num_cells),
                    "",
                    "put cells that contain the delimiter in quotes");
                return std::nullopt;
            }
        }
        if (!flag(row, ColumnRole::in_layout)) {
            log_.warn(table_.where(row, 0), "not in the layout, left out");
            return std::nullopt;
        }
        HeliostatPlace place;
        place.where = fmt::format("{}:{}", table_.file, row.line);
        const auto x = coordinate(row, ColumnRole::x);
        const auto y = coordinate(row, ColumnRole::y);
        const double z = has(ColumnRole::z) ? coordinate(row, ColumnRole::z).value_or(0.0) : 0.0;
        const bool add_pivot = !has(ColumnRole::z) || height_ == TableHeight::ground;
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
            log_.problem(table_.where(row, columns_.roles.at(roles[0]).cell),
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
            log_.problem(table_.where(row, columns_.roles.at(ColumnRole::focal_x).cell),
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
        const size_t cell = has(role) ? columns_.roles.at(role).cell : row.cells.size();
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
            log_.warn(table_.file,
                      fmt::format("no z column: pivots assumed {} m above 0", pivot_height_));
        } else if (height_ == TableHeight::ground) {
            log_.warn(table_.file,
                      fmt::format("z taken as the ground, pivots {} m above it", pivot_height_));
        } else {
            log_.warn(table_.file, "z taken as the height of the pivots");
        }
    }

    const CsvTable& table_;
    double pivot_height_;
    TableHeight height_;
    ReadLog& log_;
    LayoutColumns columns_;
    std::map<std::string, int> names_;
    size_t digits_ = 1;
};

}  // namespace

std::vector<HeliostatPlace> read_layout_table(const CsvTable& table,
                                              double pivot_height,
                                              TableHeight height,
                                              ReadLog& log) {
    return TableReader(table, pivot_height, height, log).read();
}

}  // namespace helioray
