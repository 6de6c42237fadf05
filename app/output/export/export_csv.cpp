// SPDX-License-Identifier: MIT
// Writes tables of results and of years.
#include "app/output/export/export_files.h"
#include "raytracer/results/geometry_json.h"
#include "raytracer/results/heliostat_quantity.h"
#include "raytracer/results/result_columns.h"
#include "raytracer/studies/annual/annual.h"
#include "raytracer/studies/annual/annual_file.h"
#include "raytracer/tracing/job/mirror_outline.h"
#include "scenario/files/output_files.h"
#include "scenario/files/text_encoding.h"
#include "scenario/files/units.h"
#include "scenario/types/receivers.h"
#include "scenario/types/vector_math.h"

#include <fmt/format.h>

#include <algorithm>

namespace helioray {

namespace {

std::string one_line(std::string text) {
    std::replace_if(
        text.begin(), text.end(), [](unsigned char c) { return c < ' '; }, ' ');
    return text;
}

const std::vector<std::string> kPlace{"east_m", "north_m", "up_m"};

std::string map_header(const TargetResult& t, const Provenance& p, const std::string& what) {
    const auto [width, height] = surface_extent(t.target);
    return fmt::format(
        "# {} on target {}, unit {}\n"
        "# {} target {} m wide and {} m high, {} x {} pixels (width x height)\n"
        "# first row: pixel centres along the width, m from the target's centre, growing to the "
        "right of an observer in front of the target and facing it\n"
        "# first column: pixel centres along the height, m from the centre, growing upwards\n"
        "# HelioRay {}, fingerprint {}\n",
        what,
        one_line(t.target.name),
        t.unit,
        target_kind(t.target),
        width,
        height,
        t.width,
        t.height,
        one_line(p.helioray_version),
        one_line(p.fingerprint));
}

std::string map_csv(const TargetResult& t, const std::vector<double>& values, std::string header) {
    const auto [width, height] = surface_extent(t.target);
    std::string out = std::move(header);
    out += "height_m\\width_m";
    for (int64_t j = 0; j < t.width; ++j) {
        out += fmt::format(",{:.9g}", pixel_centre(j, t.width, width));
    }
    for (int64_t i = 0; i < t.height; ++i) {
        out += fmt::format("\n{:.9g}", -pixel_centre(i, t.height, height));
        for (int64_t j = 0; j < t.width; ++j) {
            out += fmt::format(",{}", values[static_cast<size_t>(i * t.width + j)]);
        }
    }
    return out + "\n";
}

/// Returns a row for each triangle of a mesh: centre, corners, area, flux and its error.
std::string mesh_csv(const TargetResult& t, const MeshTarget& mesh, const Provenance& p) {
    std::string out = fmt::format(
        "# Flux on the triangles of target {}, unit {}\n"
        "# HelioRay {}, fingerprint {}\n"
        "triangle,east_m,north_m,up_m,area_m2,flux_w_m2,flux_std_error_w_m2",
        one_line(t.target.name),
        t.unit,
        one_line(p.helioray_version),
        one_line(p.fingerprint));
    for (const char corner : {'a', 'b', 'c'})
        out += fmt::format(",{0}_east_m,{0}_north_m,{0}_up_m", corner);
    const std::vector<double> corners = triangle_corners(mesh);
    const std::vector<double> areas = triangle_areas(mesh);
    const std::vector<double> errors = std_errors(t);
    for (size_t i = 0; i < areas.size(); ++i) {
        out += fmt::format("\n{}", i);
        for (size_t k = 0; k < 3; ++k) {
            const double sum = corners[9 * i + k] + corners[9 * i + 3 + k] + corners[9 * i + 6 + k];
            out += fmt::format(",{:.9g}", sum / 3.0);
        }
        out += fmt::format(",{:.9g},{},{}", areas[i], t.flux[i], errors[i]);
        for (size_t k = 0; k < 9; ++k) out += fmt::format(",{:.9g}", corners[9 * i + k]);
    }
    return out + "\n";
}

/// Returns the columns of heliostats.csv: places and orientations first, then all quantities.
Columns<HeliostatResult> csv_columns(const RunResult& result) {
    using Row = HeliostatResult;
    Columns<Row> rest = heliostat_columns(result);
    const auto take = [&](const std::string& name) {
        const auto found = std::ranges::find(rest, name, &ColumnInfo::name);
        Column<Row> column = *found;
        rest.erase(found);
        return column;
    };
    Columns<Row> columns{
        take("name"),
        take("target"),
        derived_column<Row>({.name = "origin", .csv = kPlace}, &mirror_origin),
        derived_column<Row>(
            {.name = "normal", .csv = {{"normal_east", "normal_north", "normal_up"}}},
            [](const Row& row) {
                return Vec3{row.orientation[2], row.orientation[6], row.orientation[10]};
            }),
        take("aim_point"),
        derived_column<Row>(
            {.name = "distance_to_aim", .unit = "m"},
            [](const Row& row) { return norm(subtract(row.aim_point, mirror_origin(row))); }),
        take("motor_positions"),
        take("rays"),
        derived_column<Row>({.name = "efficiency"}, heliostat_quantities().front().value)};
    columns.insert(columns.end(), rest.begin(), rest.end());
    return columns;
}

}  // namespace

std::vector<ExportFile> csv_files(const RunResult& result) {
    std::vector<ExportFile> files;
    const std::vector<std::string> names = target_file_names(result);
    for (size_t i = 0; i < result.targets.size(); ++i) {
        const TargetResult& t = result.targets[i];
        if (const MeshTarget* mesh = find_triangles(t.target)) {
            files.push_back({"flux_" + names[i] + ".csv", mesh_csv(t, *mesh, result.provenance)});
            continue;
        }
        files.push_back({"flux_" + names[i] + ".csv",
                         map_csv(t, t.flux, map_header(t, result.provenance, "Flux"))});
        const std::string what = "Standard error of the flux";
        files.push_back({"std_error_" + names[i] + ".csv",
                         map_csv(t, std_errors(t), map_header(t, result.provenance, what))});
    }
    files.push_back({"heliostats.csv", csv_table(result.heliostats, csv_columns(result))});
    return files;
}

namespace {

std::string heliostats_csv(const AnnualYield& yield) {
    using Row = AnnualHeliostat;
    Columns<Row> columns = annual_heliostat_columns(yield);
    // The losses that came later stand last.
    const auto first = std::ranges::find(columns, year_losses().front().name, &ColumnInfo::name);
    const std::ptrdiff_t losses = std::ssize(year_losses());
    std::rotate(first, first + losses, columns.end());
    columns.insert(columns.end() - losses,
                   derived_column<Row>({.name = "efficiency"}, [](const Row& row) {
                       return row.on_target.value / row.energy.solar_power;
                   }));
    if (yield.plan) {
        columns.insert(columns.end() - losses,
                       derived_column<Row>({.name = "origin", .csv = kPlace}, [&](const Row& row) {
                           const auto index = static_cast<size_t>(&row - yield.heliostats.data());
                           return mirror_origin(yield.plan->heliostats[index]);
                       }));
    }
    return csv_table(yield.heliostats, columns);
}

std::string months_csv(const AnnualYield& yield) {
    const double area = yield.energy.solar_power / yield.usable.value;
    std::string text = "month,usable_insolation_j_m2,solar_energy_j,target_energy_j,efficiency";
    for (const AnnualTarget& target : yield.targets)
        text += "," + csv_cell("target_energy_" + target.name + "_j");
    text += "\n";
    for (size_t month = 0; month < kMonthNames.size(); ++month) {
        const double insolation = yield.usable.months[month];
        const double energy = yield.on_targets.months[month];
        text += fmt::format("{},{},{},{},{}",
                            month + 1,
                            insolation,
                            area * insolation,
                            energy,
                            energy / (area * insolation));
        for (const AnnualTarget& target : yield.targets)
            text += fmt::format(",{}", target.energy.months[month]);
        text += "\n";
    }
    return text;
}

std::string sky_csv(const AnnualYield& yield) {
    using Node = SkyGrid::Node;
    Columns<Node> columns = sky_columns();
    const auto add = [&](const char* name, const char* unit, const std::vector<double>& values) {
        columns.push_back(derived_column<Node>({name, unit, ""}, [&](const Node& node) {
            return values[static_cast<size_t>(&node - yield.nodes.data())];
        }));
    };
    add("weight", "J/m2", yield.weights);
    add("field_efficiency", "1", yield.field_efficiency);
    return csv_table(yield.nodes, columns);
}

}  // namespace

std::vector<ExportFile> annual_csv_files(const AnnualYield& yield) {
    return {{"months.csv", months_csv(yield)},
            {"heliostats.csv", heliostats_csv(yield)},
            {"sky.csv", sky_csv(yield)}};
}

void write_annual_csv(const AnnualYield& yield, const std::filesystem::path& path) {
    write_text_file(path, heliostats_csv(yield));
}

}  // namespace helioray
