// SPDX-License-Identifier: MIT
// Interprets the header of a table of heliostats.
#include "scenario/import/field/layout_columns.h"

#include "scenario/inputs/table_columns.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <vector>

namespace helioray {

namespace {

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
    return role != ColumnRole::name && role != ColumnRole::number && role != ColumnRole::type &&
           role != ColumnRole::tower && role != ColumnRole::reflectivity &&
           role != ColumnRole::clean_share && role != ColumnRole::in_layout &&
           role != ColumnRole::enabled;
}

/// Returns true for names of a column with types of heliostats; SolarPILOT's is "Template".
bool is_type(const std::string& name) {
    return is_one_of(name, {"type", "template", "heliostat_type", "heliostat_template"});
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
    if (is_type(name))
        return "add a section heliostat_types with these names to the template, or remove the "
               "column if it does not matter";
    return "make a layout and template for each, or remove the column if it does not matter";
}

/// Returns true if a column has different values.
bool has_different_values(const RawTable& table, size_t cell) {
    std::string first;
    for (size_t i = 0; i < table.num_rows(); ++i) {
        const std::string& text = table.text(i, cell);
        if (is_missing_cell(text)) continue;
        if (!first.empty() && text != first) return true;
        if (first.empty()) first = text;
    }
    return false;
}

/// Returns the meaning of a column with the state of the mirrors.
std::optional<ColumnRole> find_state_role(const std::string& name) {
    if (is_one_of(name, {"reflectivity", "reflectance"})) return ColumnRole::reflectivity;
    if (name == "soiling") return ColumnRole::clean_share;
    return std::nullopt;
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

}  // namespace

LayoutColumns find_columns(const RawTable& table, bool has_types, bool has_towers, ReadLog& log) {
    LayoutColumns columns;
    std::vector<const TableHeader*> unknown;
    const auto add = [&](ColumnRole role, const TableHeader& header) {
        const std::string where = table.where(header);
        LayoutColumn found{header.cell, 1.0, header.text};
        if (is_length(role) && header.unit && *header.unit != "-") {
            const auto conversion = find_conversion(*header.unit, "m");
            if (!conversion) {
                log.problem(
                    where,
                    fmt::format("{}: '{}' is no known unit of length", header.text, *header.unit),
                    "",
                    "use m, mm, cm, km or ft");
                return;
            }
            found.scale = conversion->factor;
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
        } else if (has_types && is_type(header.name)) {
            add(ColumnRole::type, header);
        } else if (has_towers && is_one_of(header.name, {"tower", "receiver", "target"})) {
            add(ColumnRole::tower, header);
        } else if (const auto state = find_state_role(header.name);
                   state && has_different_values(table, header.cell)) {
            add(*state, header);
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

}  // namespace helioray
