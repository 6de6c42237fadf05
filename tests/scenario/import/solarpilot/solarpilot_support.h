// SPDX-License-Identifier: MIT
// Writes small projects of SolarPILOT for tests.
#pragma once

#include "scenario/import/solarpilot/solarpilot.h"

#include <fmt/format.h>

#include <map>
#include <string>

namespace helioray::test {

/// Variables of a project, "receiver.0.rec_type" -> value.
using Values = std::map<std::string, std::string>;

/// Returns a plant of two heliostats with one flat plate.
inline Values small_project() {
    return {{"ambient.0.latitude", "37.5"},
            {"ambient.0.longitude", "-6.25"},
            {"ambient.0.elevation", "20"},
            {"ambient.0.time_zone", "1"},
            {"ambient.0.sun_type", "Pillbox sun"},
            {"ambient.0.sun_rad_limit", "4.65"},
            {"ambient.0.atm_model", "DELSOL3 clear day"},
            {"fluxsim.0.flux_time_type", "Hour/Day"},
            {"fluxsim.0.flux_month", "3"},
            {"fluxsim.0.flux_day", "20"},
            {"fluxsim.0.flux_hour", "12.5"},
            {"fluxsim.0.flux_dni", "900"},
            {"fluxsim.0.aim_method", "Simple aim points"},
            {"solarfield.0.tht", "100"},
            {"solarfield.0.layout_data",
             "0,1,1,-10.5,80,0.5,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL\n"
             "0,1,1,30,-90,0,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL\n"},
            {"heliostat.0.width", "6"},
            {"heliostat.0.height", "4"},
            {"heliostat.0.is_round", "Rectangular"},
            {"heliostat.0.is_faceted", "true"},
            {"heliostat.0.n_cant_x", "2"},
            {"heliostat.0.n_cant_y", "1"},
            {"heliostat.0.x_gap", "0"},
            {"heliostat.0.y_gap", "0"},
            {"heliostat.0.focus_method", "At slant"},
            {"heliostat.0.cant_method", "On-axis at slant"},
            {"heliostat.0.reflectivity", "0.95"},
            {"heliostat.0.soiling", "0.9"},
            {"heliostat.0.reflect_ratio", "0.8"},
            {"heliostat.0.err_azimuth", "0"},
            {"heliostat.0.err_elevation", "0"},
            {"heliostat.0.err_surface_x", "0.003"},
            {"heliostat.0.err_surface_y", "0.004"},
            {"heliostat.0.err_reflect_x", "0.001"},
            {"heliostat.0.err_reflect_y", "0.001"},
            {"heliostat.0.st_err_type", "Gaussian"},
            {"receiver.0.is_enabled", "true"},
            {"receiver.0.rec_name", "Receiver 1"},
            {"receiver.0.rec_type", "Flat plate"},
            {"receiver.0.rec_height", "8"},
            {"receiver.0.rec_width", "12"},
            {"receiver.0.rec_azimuth", "0"},
            {"receiver.0.rec_elevation", "-25"},
            {"receiver.0.rec_offset_x", "1"},
            {"receiver.0.rec_offset_y", "2"},
            {"receiver.0.rec_offset_z", "-3"},
            {"receiver.0.rec_offset_reference", "Tower"},
            {"receiver.0.absorptance", "0.94"},
            {"receiver.0.peak_flux", "800"}};
}

/// Returns the text of a project file.
inline std::string project_text(const Values& values) {
    std::string text = "<data>\n<version>1.5.2</version>\n<header>A &amp; B</header>\n";
    for (const auto& [key, value] : values) {
        const size_t first = key.find('.'), second = key.find('.', first + 1);
        text += fmt::format(
            "<variable>\n<component>{}</component>\n<instance>{}</instance>\n"
            "<varname>{}</varname>\n<units></units>\n<value>{}</value>\n</variable>\n",
            key.substr(0, first),
            key.substr(first + 1, second - first - 1),
            key.substr(second + 1),
            value);
    }
    return text + "<parametric/>\n</data>\n";
}

/// Returns the plant of a project after some changes.
inline MadeField convert_with(const Values& changes) {
    Values values = small_project();
    for (const auto& [key, value] : changes) values[key] = value;
    return solarpilot::convert(solarpilot::parse_project(project_text(values), "p.spt"));
}

}  // namespace helioray::test
