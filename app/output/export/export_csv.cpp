// SPDX-License-Identifier: MIT
// Writes tables of results and of years.
#include "app/output/export/export_files.h"
#include "raytracer/results/geometry_json.h"
#include "raytracer/results/heliostat_quantity.h"
#include "raytracer/studies/annual/annual.h"
#include "raytracer/tracing/job/mirror_outline.h"
#include "scenario/files/output_files.h"
#include "scenario/files/text_encoding.h"
#include "scenario/files/units.h"
#include "scenario/types/vector_math.h"

#include <fmt/format.h>

#include <algorithm>
#include <span>

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
    for (const HeliostatResult& h : result.heliostats) {
        const Vec3 origin = mirror_origin(h);
        out += csv_cell(h.name) + "," + csv_cell(h.target);
        for (const double x : origin) out += fmt::format(",{}", x);
        for (const size_t k : {2U, 6U, 10U}) out += fmt::format(",{}", h.orientation[k]);
        for (const double x : h.aim_point) out += fmt::format(",{}", x);
        out += fmt::format(",{}", norm(subtract(h.aim_point, origin)));
        for (const double x : h.motor_positions) out += fmt::format(",{}", x);
        out += fmt::format(",{}", h.rays);
        for (const HeliostatQuantity& quantity : heliostat_quantities()) {
            out += fmt::format(",{}", quantity.value(h));
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

namespace {

std::string heliostats_csv(const AnnualYield& yield) {
    std::string text = "name,target";
    for (const EnergyTermInfo& term : energy_term_infos())
        text += fmt::format(",{}_j", energy_name(term.name));
    text += ",target_energy_std_error_j,target_energy_quadrature_error_j";
    for (int month = 1; month <= 12; ++month)
        text += fmt::format(",target_energy_month_{:02}_j", month);
    text += ",efficiency";
    if (yield.plan) text += ",east_m,north_m,up_m";
    text += ",defocus_loss_j\n";
    for (size_t i = 0; i < yield.heliostats.size(); ++i) {
        const AnnualHeliostat& heliostat = yield.heliostats[i];
        text += csv_cell(heliostat.name) + "," + csv_cell(heliostat.target);
        for (const EnergyTermInfo& term : energy_term_infos())
            text += fmt::format(",{}", heliostat.energy.*term.member);
        text += fmt::format(
            ",{},{}", heliostat.on_target.std_error, heliostat.on_target.quadrature_error);
        for (const double month : heliostat.on_target.months) text += fmt::format(",{}", month);
        text += fmt::format(",{}", heliostat.on_target.value / heliostat.energy.solar_power);
        if (yield.plan) {
            for (const double x : mirror_origin(yield.plan->heliostats[i]))
                text += fmt::format(",{}", x);
        }
        text += fmt::format(",{}\n", heliostat.defocus_loss);
    }
    return text;
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
    std::string text =
        "declination_deg,hour_angle_deg,azimuth_deg,elevation_deg,weight_j_m2,field_efficiency\n";
    for (size_t i = 0; i < yield.nodes.size(); ++i) {
        const SkyGrid::Node& node = yield.nodes[i];
        for (const double angle : {node.declination, node.hour_angle, node.azimuth, node.elevation})
            text += fmt::format("{},", angle / kRadiansPerDegree);
        text += fmt::format("{},{}\n", yield.weights[i], yield.field_efficiency[i]);
    }
    return text;
}

}  // namespace

std::vector<ExportFile> annual_csv_files(const AnnualYield& yield) {
    return {{"months.csv", months_csv(yield)},
            {"heliostats.csv", heliostats_csv(yield)},
            {"sky.csv", sky_csv(yield)}};
}

void write_annual_csv(const AnnualYield& yield, const std::filesystem::path& path) {
    const std::string text = heliostats_csv(yield);
    AtomicFile file(path);
    file.write(std::as_bytes(std::span(text)));
    file.commit();
}

}  // namespace helioray
