// SPDX-License-Identifier: MIT
// Names that pvlib, SAM, SolarPILOT, solsticepy and weather services give to columns.
#include "scenario/config/table_columns.h"

#include "scenario/config/raw_table.h"

#include <algorithm>
#include <string_view>

namespace helioray {

const std::vector<ColumnSynonym>& column_synonyms() {
    static const std::vector<ColumnSynonym> kSynonyms{
        {"time", "timestamp"},
        {"time", "datetime"},
        {"time", "date_time"},
        {"azimuth_deg", "azimuth"},
        {"azimuth_deg", "sun_azimuth"},
        {"azimuth_deg", "solar_azimuth"},
        // With refraction before without: that is where the light comes from.
        {"elevation_deg", "apparent_elevation"},
        {"elevation_deg", "apparent_zenith", true},
        {"elevation_deg", "elevation"},
        {"elevation_deg", "sun_elevation"},
        {"elevation_deg", "solar_elevation"},
        {"elevation_deg", "altitude"},
        {"elevation_deg", "zenith", true},
        {"elevation_deg", "solar_zenith", true},
        {"dni_w_m2", "dni"},
        {"dni_w_m2", "beam"},
        {"dni_w_m2", "beam_irradiance"},
        {"dni_w_m2", "beam_normal_irradiance"},
        {"dni_w_m2", "direct_normal_irradiance"},
        {"dni_w_m2", "direct_normal"},
        {"dni_w_m2", "bni"}};
    return kSynonyms;
}

bool could_decide(const std::string& name) {
    static constexpr std::string_view kWords[] = {"dni",
                                                  "bni",
                                                  "beam",
                                                  "direct",
                                                  "irradiance",
                                                  "azimuth",
                                                  "elevation",
                                                  "altitude",
                                                  "zenith",
                                                  "height",
                                                  "width",
                                                  "length",
                                                  "size",
                                                  "area",
                                                  "radius",
                                                  "diameter",
                                                  "template",
                                                  "type",
                                                  "reflectivity",
                                                  "reflectance",
                                                  "soiling",
                                                  "cleanliness",
                                                  "availability",
                                                  "focal",
                                                  "focus",
                                                  "cant",
                                                  "canting",
                                                  "slope",
                                                  "error",
                                                  "tilt",
                                                  "target",
                                                  "active",
                                                  "enabled",
                                                  "aim",
                                                  "share",
                                                  "limit",
                                                  "flux",
                                                  "attenuation",
                                                  "facets",
                                                  "kinematics",
                                                  "pivot",
                                                  "x",
                                                  "y",
                                                  "z",
                                                  "east",
                                                  "north",
                                                  "up",
                                                  "easting",
                                                  "northing",
                                                  "efficiency"};
    const std::string words = "_" + joined_words(name) + "_";
    // Of the irradiances only the direct one reaches a receiver.
    for (const char* other : {"_global_", "_diffuse_", "_horizontal_"})
        if (words.find(other) != std::string::npos) return false;
    return std::ranges::any_of(kWords, [&](std::string_view word) {
        return words.find("_" + std::string(word) + "_") != std::string::npos;
    });
}

}  // namespace helioray
