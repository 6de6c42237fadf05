// SPDX-License-Identifier: MIT
// Names of columns: own ones, and those that SolarPILOT and its Python interface write.
#include "scenario/field/table_columns.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <optional>
#include <vector>

namespace helioray {

namespace {

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

}  // namespace

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

}  // namespace helioray
