// SPDX-License-Identifier: MIT
// Results as tables of comma-separated values.
#include "raytracer/mirror_outline.h"
#include "raytracer/output/export_files.h"
#include "raytracer/output/export_names.h"
#include "raytracer/output/geometry_json.h"
#include "raytracer/output/heliostat_quantity.h"
#include "raytracer/output/text_encoding.h"
#include "scenario/vector_math.h"

#include <fmt/format.h>

#include <algorithm>

namespace helioray {

namespace {

std::string one_line(std::string text) {
    std::replace_if(
        text.begin(), text.end(), [](unsigned char c) { return c < ' '; }, ' ');
    return text;
}

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
    auto at = std::back_inserter(out);
    out += "height_m\\width_m";
    for (int64_t j = 0; j < t.width; ++j) {
        fmt::format_to(at, ",{:.9g}", pixel_centre(j, t.width, width));
    }
    for (int64_t i = 0; i < t.height; ++i) {
        fmt::format_to(at, "\n{:.9g}", -pixel_centre(i, t.height, height));
        for (int64_t j = 0; j < t.width; ++j) {
            fmt::format_to(at, ",{}", values[static_cast<size_t>(i * t.width + j)]);
        }
    }
    return out + "\n";
}

std::string heliostats_csv(const RunResult& result) {
    const std::string power_suffix = energy_unit(result) == "W" ? "_w" : "";
    std::string out =
        "name,target,east_m,north_m,up_m,normal_east,normal_north,normal_up,aim_east_m,aim_north_m,"
        "aim_up_m,distance_to_aim_m,motor_position_1,motor_position_2,rays";
    for (const HeliostatQuantity& quantity : heliostat_quantities()) {
        out += "," + quantity.name;
        if (quantity.kind == HeliostatQuantity::Kind::power) out += power_suffix;
    }
    out += "\n";
    auto at = std::back_inserter(out);
    for (const HeliostatResult& h : result.heliostats) {
        const Vec3 origin = mirror_origin(h);
        out += csv_cell(h.name) + "," + csv_cell(h.target);
        for (const double x : origin) fmt::format_to(at, ",{}", x);
        for (const size_t k : {2U, 6U, 10U}) fmt::format_to(at, ",{}", h.orientation[k]);
        for (const double x : h.aim_point) fmt::format_to(at, ",{}", x);
        fmt::format_to(at, ",{}", norm(subtract(h.aim_point, origin)));
        for (const double x : h.motor_positions) fmt::format_to(at, ",{}", x);
        fmt::format_to(at, ",{}", h.rays);
        for (const HeliostatQuantity& quantity : heliostat_quantities()) {
            fmt::format_to(at, ",{}", quantity.value(h));
        }
        out += "\n";
    }
    return out;
}

}  // namespace

std::vector<ExportFile> csv_files(const RunResult& result) {
    std::vector<ExportFile> files;
    const std::vector<std::string> names = target_file_names(result);
    for (size_t i = 0; i < result.targets.size(); ++i) {
        const TargetResult& t = result.targets[i];
        files.push_back({"flux_" + names[i] + ".csv",
                         map_csv(t, t.flux, map_header(t, result.provenance, "Flux"))});
        const std::string what = "Standard error of the flux";
        files.push_back({"std_error_" + names[i] + ".csv",
                         map_csv(t, std_errors(t), map_header(t, result.provenance, what))});
    }
    files.push_back({"heliostats.csv", heliostats_csv(result)});
    return files;
}

}  // namespace helioray
