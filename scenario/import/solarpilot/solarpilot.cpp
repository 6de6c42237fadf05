// SPDX-License-Identifier: MIT
// Builds the field of a project from its layout, and joins the parts of the conversion.
#include "scenario/import/solarpilot/solarpilot.h"

#include "scenario/files/csv.h"
#include "scenario/files/number_text.h"
#include "scenario/import/solarpilot/conversion.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <map>
#include <optional>

namespace helioray::solarpilot {

namespace {

/// Columns of a line of the layout, as SolarPILOT's SolarField.cpp describes them.
enum Column {
    kTemplate,
    kEnabled,
    kInLayout,
    kPlace,
    kFocal = 6,
    kCant = 8,
    kAim = 11,
    kColumns = 14
};
/// Cells of a line of older versions, which lack the columns kEnabled and kInLayout.
constexpr size_t kOldColumns = kColumns - 2;
constexpr size_t kFewestColumns = 6;

/// A line of the layout with all its columns; empty cells for missing values.
struct LayoutLine {
    CsvRow row;
    int heliostat_template = 0;
};

/// Splits a line at commas, tabs or blanks.
CsvRow split_line(const std::string& text, int number) {
    const char* delimiters = text.find(',') != std::string::npos    ? ","
                             : text.find('\t') != std::string::npos ? "\t"
                                                                    : " ";
    CsvRow row{number, {}, {}, {}};
    for (size_t begin = 0; begin <= text.size();) {
        const size_t end = std::min(text.find_first_of(delimiters, begin), text.size());
        std::string cell = text.substr(begin, end - begin);
        std::erase_if(cell, [](char c) { return c == ' ' || c == '\r' || c == '\t'; });
        if (cell == "NULL") cell.clear();
        row.cells.push_back(std::move(cell));
        row.columns.push_back(static_cast<int>(begin) + 1);
        row.quoted.push_back(false);
        begin = end + 1;
    }
    return row;
}

/// Returns the lines of the layout.
std::vector<LayoutLine> read_lines(const Source& source, const Variable& layout) {
    // Lines end with line breaks or, in files of the program's interfaces, with semicolons.
    const char end_of_line = layout.value.find('\n') != std::string::npos ? '\n' : ';';
    std::vector<LayoutLine> lines;
    int number = layout.value_line;
    for (size_t begin = 0; begin < layout.value.size();) {
        const size_t end = std::min(layout.value.find(end_of_line, begin), layout.value.size());
        LayoutLine line{split_line(layout.value.substr(begin, end - begin), number), 0};
        begin = end + 1;
        number += end_of_line == '\n';
        CsvRow& row = line.row;
        if (row.cells.size() == 1 && row.cells.front().empty()) continue;
        if (row.cells.size() == kOldColumns) {
            row.cells.insert(row.cells.begin() + kEnabled, 2, "1");
            row.columns.insert(row.columns.begin() + kEnabled, 2, row.columns[kEnabled]);
            row.quoted.resize(kColumns);
        }
        const std::string& id = row.cells.front();
        const auto [stop, fault] =
            std::from_chars(id.data(), id.data() + id.size(), line.heliostat_template);
        if (row.cells.size() < kFewestColumns || row.cells.size() > kColumns ||
            fault != std::errc() || stop != id.data() + id.size()) {
            source.log.problem(
                source.project.where(row.line),
                fmt::format("the layout has a line of {} cells that begins with '{}'",
                            row.cells.size(),
                            id.substr(0, 20)),
                "a line has the number of a template, two switches, a position and "
                "optional values, 14 in all",
                "make the layout in SolarPILOT again");
            continue;
        }
        row.cells.resize(kColumns);
        row.columns.resize(kColumns, row.columns.back());
        row.quoted.resize(kColumns);
        lines.push_back(std::move(line));
    }
    return lines;
}

/// Returns true if SolarPILOT would use the aim points of the layout.
bool keeps_aim_points(const Source& source) {
    const std::string method = source.of("fluxsim").text("aim_method", "Image size priority");
    return method == "Keep existing" || method == "Freeze tracking";
}

/// Returns the layout as a table of heliostats. `reflectivities`: of the templates by number, if
/// they differ; otherwise empty.
CsvTable layout_table(const Source& source,
                      const std::vector<LayoutLine>& lines,
                      bool has_types,
                      const std::map<int, double>& reflectivities) {
    const auto has_values = [&](size_t first, size_t last) {
        return std::ranges::any_of(lines, [&](const LayoutLine& line) {
            return std::any_of(line.row.cells.begin() + static_cast<std::ptrdiff_t>(first),
                               line.row.cells.begin() + static_cast<std::ptrdiff_t>(last),
                               [](const std::string& cell) { return !cell.empty(); });
        });
    };
    std::vector<std::pair<std::string, size_t>> columns;
    if (has_types) columns.emplace_back("type", kTemplate);
    columns.insert(columns.end(),
                   {{"enabled", kEnabled},
                    {"in_layout", kInLayout},
                    {"x", kPlace},
                    {"y", kPlace + 1},
                    {"z", kPlace + 2}});
    if (has_values(kFocal, kCant))
        columns.insert(columns.end(), {{"x_focus", kFocal}, {"y_focus", kFocal + 1}});
    if (has_values(kAim, kColumns) && keeps_aim_points(source))
        columns.insert(columns.end(), {{"aim_x", kAim}, {"aim_y", kAim + 1}, {"aim_z", kAim + 2}});
    else if (has_values(kAim, kColumns))
        source.log.warn(source.project.file,
                        "aim points of the layout are not used, since SolarPILOT computes new ones "
                        "unless fluxsim.0.aim_method is 'Keep existing'; see 'helioray aim'");
    if (has_values(kCant, kAim))
        source.log.warn(source.project.file,
                        "canting vectors of the layout are not used: canting follows from the "
                        "template");

    CsvTable table{source.project.file, ',', {}};
    CsvRow& header = table.rows.emplace_back();
    const auto add_cell = [](CsvRow& row, std::string text, int column) {
        row.cells.push_back(std::move(text));
        row.columns.push_back(column);
        row.quoted.push_back(false);
    };
    header.line = lines.front().row.line;
    for (const auto& [name, cell] : columns) add_cell(header, name, 1);
    if (!reflectivities.empty()) add_cell(header, "reflectivity", 1);
    for (const LayoutLine& line : lines) {
        CsvRow& row = table.rows.emplace_back();
        row.line = line.row.line;
        for (const auto& [name, cell] : columns)
            add_cell(row, line.row.cells[cell], line.row.columns[cell]);
        if (!reflectivities.empty())
            add_cell(row, fmt::format("{}", reflectivities.at(line.heliostat_template)), 1);
    }
    return table;
}

/// Returns the numbers of the templates that the lines name; unknown ones are problems.
std::vector<int> used_templates(const Source& source, const std::vector<LayoutLine>& lines) {
    const std::vector<int> known = source.project.instances("heliostat");
    std::vector<int> used;
    for (const LayoutLine& line : lines) {
        const int number = line.heliostat_template;
        if (std::ranges::find(used, number) != used.end()) continue;
        used.push_back(number);
        if (std::ranges::find(known, number) == known.end())
            source.log.problem(source.project.where(line.row.line),
                               fmt::format("there is no heliostat template {}", number),
                               "the layout names it",
                               "make the layout in SolarPILOT again");
    }
    std::ranges::sort(used);
    return used;
}

/// Adds the heliostats of the templates. Returns their optics in the same order.
std::vector<MirrorOptics> convert_templates(const Source& source,
                                            const std::vector<int>& used,
                                            FieldTemplate& field) {
    std::vector<MirrorOptics> optics;
    for (const int number : used) {
        const Instance from = source.of("heliostat", number);
        const HeliostatTemplate heliostat = convert_heliostat(source, from, field);
        optics.push_back(convert_optics(from));
        if (used.size() > 1) field.types.push_back({fmt::format("{}", number), heliostat, {}});
        if (number == used.front()) field.heliostat = heliostat;
        field.heliostat.width = std::max(field.heliostat.width, heliostat.width);
        field.heliostat.height = std::max(field.heliostat.height, heliostat.height);
        if (optics.back().slope_error != optics.front().slope_error ||
            optics.back().specularity_error != optics.front().specularity_error ||
            optics.back().is_pillbox != optics.front().is_pillbox)
            from.remark("err_surface_x",
                        fmt::format("errors of this template are not used, a run has one set: "
                                    "those of template {}",
                                    used.front()));
    }
    return optics;
}

/// Returns the report: what was read, and what was left out.
std::vector<std::string> make_report(const Source& source,
                                     size_t num_receivers,
                                     const MirrorOptics& optics) {
    const Project& project = source.project;
    std::vector<std::string> report{
        fmt::format(
            "{}: {}, {}",
            project.file,
            project.version.empty() ? "SolarPILOT project" : "SolarPILOT " + project.version,
            counted(num_receivers, "receiver")),
        fmt::format("reflectivity {:.6g}: of the mirrors, times soiling, times the mirrored share "
                    "of the outer dimensions",
                    optics.reflectivity),
        "heights count from the plane of the pivots, as in SolarPILOT",
        "left out: land, costs, weather, tower shadow, acceptance angles, thermal losses, power "
        "fractions, wanted flux profiles and parametric studies"};
    for (const std::string& line : source.log.warnings()) report.push_back(line);
    return report;
}

}  // namespace

MadeField convert(const Project& project) {
    ReadLog log;
    const Source source{project, log};
    FieldTemplate field;
    const Instance ambient = source.of("ambient");
    field.site = GeodeticPosition{ambient.number("latitude", "deg", 34.867, -90.0, 90.0),
                                  ambient.number("longitude", "deg", -116.783, -180.0, 180.0),
                                  ambient.number("elevation", "m", 588.0, -500.0, 9000.0)};
    field.tower.optical_height = source.of("solarfield").length("tht", 195.0);
    field.sun = convert_sun_shape(source);
    RunConfig run;
    convert_conditions(source, *field.site, run);
    const std::vector<double> limits = convert_receivers(source, field);

    const Variable* layout = project.find("solarfield", 0, "layout_data");
    if (!layout || layout->value.empty())
        log.problem(project.file,
                    "has no layout (solarfield.0.layout_data)",
                    "SolarPILOT selects heliostats by their yield, which depends on its models",
                    "make the layout in SolarPILOT and save the project");
    const std::vector<LayoutLine> lines =
        layout ? read_lines(source, *layout) : std::vector<LayoutLine>();
    const std::vector<int> used = used_templates(source, lines);
    log.throw_if_any();
    const std::vector<MirrorOptics> optics = convert_templates(source, used, field);
    log.throw_if_any();
    std::map<int, double> reflectivities;
    for (size_t i = 0; i < used.size(); ++i)
        if (std::ranges::any_of(optics, [&](const MirrorOptics& other) {
                return other.reflectivity != optics.front().reflectivity;
            }))
            reflectivities[used[i]] = optics[i].reflectivity;
    const CsvTable table = layout_table(source, lines, used.size() > 1, reflectivities);
    if (std::ranges::adjacent_find(limits, std::not_equal_to()) == limits.end())
        run.aiming.flux_limit = limits.front();
    else
        log.warn(project.file,
                 "peak fluxes of the receivers differ and are left out; see aiming.flux_limit");

    MadeField made = field_from_table(field,
                                      table,
                                      TableHeight::pivot,
                                      make_report(source, field.receivers.size(), optics.front()));
    made.run.sun = run.sun;
    made.run.optics = run.optics;
    made.run.aiming = run.aiming;
    const MirrorOptics& first = optics.front();
    made.run.optics.reflectivity = first.reflectivity;
    made.run.optics.slope_error = first.error_shape(first.slope_error);
    made.run.optics.specularity_error = first.error_shape(first.specularity_error);
    return made;
}

}  // namespace helioray::solarpilot
