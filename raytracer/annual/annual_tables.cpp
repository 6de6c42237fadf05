// SPDX-License-Identifier: MIT
// A year as tables of comma-separated values.
#include "raytracer/annual/annual_output.h"
#include "raytracer/annual/energy_name.h"
#include "raytracer/mirror_outline.h"
#include "raytracer/output/atomic_file.h"
#include "raytracer/output/text_encoding.h"

#include <fmt/format.h>

#include <iterator>
#include <span>

namespace helioray {

namespace {

std::string heliostats_csv(const AnnualYield& yield) {
    std::string text = "name,target";
    auto at = std::back_inserter(text);
    for (const EnergyTermInfo& term : energy_term_infos())
        fmt::format_to(at, ",{}_j", energy_name(term.name));
    text += ",target_energy_std_error_j,target_energy_quadrature_error_j";
    for (int month = 1; month <= 12; ++month)
        fmt::format_to(at, ",target_energy_month_{:02}_j", month);
    text += ",efficiency";
    if (yield.plan) text += ",east_m,north_m,up_m";
    text += "\n";
    for (size_t i = 0; i < yield.heliostats.size(); ++i) {
        const AnnualHeliostat& heliostat = yield.heliostats[i];
        text += csv_cell(heliostat.name) + "," + csv_cell(heliostat.target);
        for (const EnergyTermInfo& term : energy_term_infos())
            fmt::format_to(at, ",{}", heliostat.energy.*term.member);
        fmt::format_to(
            at, ",{},{}", heliostat.on_target.std_error, heliostat.on_target.quadrature_error);
        for (const double month : heliostat.on_target.months) fmt::format_to(at, ",{}", month);
        fmt::format_to(at, ",{}", heliostat.on_target.value / heliostat.energy.solar_power);
        if (yield.plan) {
            for (const double x : mirror_origin(yield.plan->heliostats[i]))
                fmt::format_to(at, ",{}", x);
        }
        text += "\n";
    }
    return text;
}

std::string months_csv(const AnnualYield& yield) {
    const double area = yield.energy.solar_power / yield.usable.value;
    std::string text = "month,usable_insolation_j_m2,solar_energy_j,target_energy_j,efficiency";
    auto at = std::back_inserter(text);
    for (const AnnualTarget& target : yield.targets)
        text += "," + csv_cell("target_energy_" + target.name + "_j");
    text += "\n";
    for (size_t month = 0; month < kMonthNames.size(); ++month) {
        const double insolation = yield.usable.months[month];
        const double energy = yield.on_targets.months[month];
        fmt::format_to(at,
                       "{},{},{},{},{}",
                       month + 1,
                       insolation,
                       area * insolation,
                       energy,
                       energy / (area * insolation));
        for (const AnnualTarget& target : yield.targets)
            fmt::format_to(at, ",{}", target.energy.months[month]);
        text += "\n";
    }
    return text;
}

std::string sky_csv(const AnnualYield& yield) {
    std::string text =
        "declination_deg,hour_angle_deg,azimuth_deg,elevation_deg,weight_j_m2,field_efficiency\n";
    auto at = std::back_inserter(text);
    for (size_t i = 0; i < yield.nodes.size(); ++i) {
        const SkyGrid::Node& node = yield.nodes[i];
        for (const double angle : {node.declination, node.hour_angle, node.azimuth, node.elevation})
            fmt::format_to(at, "{},", angle / kRadiansPerDegree);
        fmt::format_to(at, "{},{}\n", yield.weights[i], yield.field_efficiency[i]);
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
