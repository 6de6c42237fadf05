// SPDX-License-Identifier: MIT
// Recognises the column names of pvlib, SAM, SolarPILOT, solsticepy and weather services.
#include "scenario/inputs/table_columns.h"

#include <algorithm>
#include <string_view>

namespace helioray {

namespace {

/// A name that another program uses for one of our columns.
struct ColumnSynonym {
    const char* column;  ///< Name of our column with its unit: "elevation_deg".
    const char* name;    ///< Words of the other name without blanks and unit: "apparentelevation".
    /// Lower ranks take precedence; the program's own name with its unit has rank 1.
    std::size_t rank;
    /// True if the angle is measured from the zenith, so that elevation = 90 degrees - angle.
    bool from_zenith = false;
};

// Elevations with refraction take precedence, because they give the direction of the light.
constexpr ColumnSynonym kSynonyms[] = {{"time", "times", 1},
                                       {"time", "timestamp", 1},
                                       {"time", "datetime", 1},
                                       {"azimuth_deg", "azimuth", 1},
                                       {"azimuth_deg", "sunazimuth", 1},
                                       {"azimuth_deg", "solarazimuth", 1},
                                       {"azimuth_deg", "azimuthangle", 1},
                                       {"azimuth_deg", "sunazimuthangle", 1},
                                       {"azimuth_deg", "solarazimuthangle", 1},
                                       {"elevation_deg", "apparentelevation", 1},
                                       {"elevation_deg", "solarapparentelevation", 1},
                                       {"elevation_deg", "apparentsolarelevation", 1},
                                       {"elevation_deg", "apparentzenith", 2, true},
                                       {"elevation_deg", "solarapparentzenith", 2, true},
                                       {"elevation_deg", "apparentsolarzenith", 2, true},
                                       {"elevation_deg", "elevation", 3},
                                       {"elevation_deg", "sunelevation", 3},
                                       {"elevation_deg", "solarelevation", 3},
                                       {"elevation_deg", "elevationangle", 3},
                                       {"elevation_deg", "solarelevationangle", 3},
                                       {"elevation_deg", "altitude", 3},
                                       {"elevation_deg", "solaraltitude", 3},
                                       {"elevation_deg", "sunaltitude", 3},
                                       {"elevation_deg", "hsun", 3},
                                       {"elevation_deg", "solarheight", 3},
                                       {"elevation_deg", "sunheight", 3},
                                       {"elevation_deg", "zenith", 4, true},
                                       {"elevation_deg", "solarzenith", 4, true},
                                       {"elevation_deg", "sunzenith", 4, true},
                                       {"elevation_deg", "zenithangle", 4, true},
                                       {"elevation_deg", "solarzenithangle", 4, true},
                                       {"elevation_deg", "sza", 4, true},
                                       {"reflectivity", "reflectance", 1},
                                       {"tracking_error_mrad", "trackingsigma", 1},
                                       {"dni_w_m2", "dni", 1},
                                       {"dni_w_m2", "beam", 1},
                                       {"dni_w_m2", "beamirradiance", 1},
                                       {"dni_w_m2", "beamnormal", 1},
                                       {"dni_w_m2", "beamnormalirradiance", 1},
                                       {"dni_w_m2", "bni", 1},
                                       {"dni_w_m2", "dn", 1},
                                       {"dni_w_m2", "ebn", 1},
                                       {"dni_w_m2", "gbn", 1},
                                       {"dni_w_m2", "directn", 1},
                                       {"dni_w_m2", "directnormal", 1},
                                       {"dni_w_m2", "directnormalcalc", 1},
                                       {"dni_w_m2", "directnormalirradiance", 1},
                                       {"dni_w_m2", "directnormalirradiancedni", 1},
                                       {"dni_w_m2", "directnormalradiation", 1},
                                       {"dni_w_m2", "normaldirectirradiance", 1},
                                       {"dni_w_m2", "allskysfcswdni", 1},
                                       {"temperature_c", "temperature", 2},
                                       {"temperature_c", "airtemperature", 3},
                                       {"temperature_c", "ambienttemperature", 4},
                                       {"temperature_c", "tempair", 5},
                                       {"temperature_c", "airtemp", 6},
                                       {"temperature_c", "drybulb", 7},
                                       {"temperature_c", "drybulbtemperature", 8},
                                       {"temperature_c", "tdry", 9},
                                       {"temperature_c", "tamb", 10},
                                       {"temperature_c", "t2m", 11}};

/// Returns true for columns in metres whose names do not contain the unit.
bool is_in_metres(const std::string& column) {
    return column == "east" || column == "north" || column == "up";
}

/// Returns true for marks of a plain number or text. Times count as well, because they are in UTC
/// or contain their offset.
bool is_no_unit(const std::string& unit) {
    const std::string word = joined_words(unit);
    return word.empty() || word == "1" || word == "utc" || word == "z" || word == "iso8601" ||
           word == "iso_8601";
}

/// Returns the words without blanks, so that "sun_azimuth" and "SunAzimuth" are equal.
std::string without_blanks(std::string words) {
    std::erase(words, '_');
    return words;
}

/// Returns true if the words, joined by '_', contain one of the list.
bool contains_word(const std::string& words, const auto& list) {
    const std::string text = "_" + words + "_";
    return std::ranges::any_of(list, [&](std::string_view word) {
        return text.find("_" + std::string(word) + "_") != std::string::npos;
    });
}

const ColumnSynonym* find_synonym(const std::string& name, const std::string& column) {
    const auto* const found = std::ranges::find_if(kSynonyms, [&](const ColumnSynonym& synonym) {
        return synonym.column == column && synonym.name == name;
    });
    return found == std::end(kSynonyms) ? nullptr : found;
}

}  // namespace

std::string column_unit(const std::string& column) {
    return is_in_metres(column) ? "m" : split_header(column).unit.value_or("");
}

std::optional<ColumnMatch> match_column(const TableHeader& header,
                                        const std::vector<std::string>& known) {
    for (const std::string& column : known) {
        const std::string name = without_blanks(header.name);
        const bool is_own_name = without_blanks(split_header(column).name) == name;
        const ColumnSynonym* synonym = find_synonym(name, column);
        std::optional<std::string> unit = header.unit;
        if (!is_own_name && synonym == nullptr) {
            // The brackets of "Gb(n)" belong to the name.
            synonym = find_synonym(without_blanks(joined_words(header.text)), column);
            if (synonym == nullptr) continue;
            unit.reset();
        }
        const bool has_unit = unit && !is_no_unit(*unit);
        const std::string own_unit = column_unit(column);
        ColumnMatch match;
        match.column = column;
        match.has_unit = has_unit;
        if (synonym != nullptr && !(is_own_name && has_unit)) match.rank = synonym->rank;
        if (has_unit) {
            if (const auto conversion = find_conversion(*unit, own_unit)) {
                match.factor = conversion->factor;
                match.offset = conversion->offset;
            } else {
                match.fault = ColumnMatch::Fault::wrong_unit;
            }
        } else if (synonym == nullptr && !own_unit.empty() && !is_in_metres(column)) {
            match.fault = ColumnMatch::Fault::no_unit;
        }
        if (synonym != nullptr && synonym->from_zenith) {
            match.offset = 90.0;
            match.factor = -match.factor;
        }
        return match;
    }
    return std::nullopt;
}

bool is_usual_weather(const std::string& header) {
    static constexpr std::string_view kWords[] = {
        "temp",          "temperature", "bulb",    "dew",    "dewpoint", "humidity", "rhum",
        "pressure",      "wind",        "wspd",    "wdir",   "albedo",   "alb",      "precipitable",
        "precipitation", "precip",      "lprecip", "pwat",   "water",    "rain",     "snow",
        "cloud",         "cloudcover",  "cld",     "totcld", "opqcld",   "sky",      "hvis",
        "visibility",    "ceilhgt",     "ceiling", "illum",  "lum",      "aod",      "aerosol",
        "ozone",         "weather",     "present"};
    static constexpr std::string_view kNames[] = {"equation_of_time",
                                                  "ghi",
                                                  "dhi",
                                                  "gh",
                                                  "dh",
                                                  "df",
                                                  "global",
                                                  "diffuse",
                                                  "global_horizontal",
                                                  "diffuse_horizontal",
                                                  "global_horizontal_irradiance",
                                                  "diffuse_horizontal_irradiance",
                                                  "ghi_clear",
                                                  "dhi_clear",
                                                  "dni_clear",
                                                  "clearsky_ghi",
                                                  "clearsky_dhi",
                                                  "clearsky_dni",
                                                  "clearsky_gh",
                                                  "clearsky_dn",
                                                  "clearsky_df",
                                                  "ghi_extra",
                                                  "dni_extra",
                                                  "etr",
                                                  "etrn",
                                                  "t2m",
                                                  "sp",
                                                  "ws10m",
                                                  "wd10m",
                                                  "rh",
                                                  "tdry",
                                                  "twet",
                                                  "tdew",
                                                  "tamb",
                                                  "pres",
                                                  "ir_h",
                                                  "int",
                                                  "alpha",
                                                  "beta",
                                                  "fill_flag",
                                                  "date",
                                                  "year",
                                                  "month",
                                                  "day",
                                                  "hour",
                                                  "minute",
                                                  "second",
                                                  "time"};
    static constexpr std::string_view kEndings[] = {
        "_source", "_uncert", "_uncertainty", "_flag", "_unit", "_units"};
    const std::string words = joined_words(header);
    if (contains_word(words, kWords)) return true;
    for (std::string name : {words, split_header(header).name}) {
        for (const std::string_view ending : kEndings) {
            if (!name.ends_with(ending)) continue;
            name.resize(name.size() - ending.size());
            if (find_synonym(without_blanks(name), "dni_w_m2") != nullptr) return true;
        }
        if (std::ranges::find(kNames, name) != std::end(kNames)) return true;
    }
    return false;
}

bool may_mean(const std::string& header, const std::string& column) {
    static constexpr std::string_view kAzimuths[] = {"azimuth", "azi"};
    static constexpr std::string_view kElevationNames[] = {"elevation", "zenith", "altitude"};
    static constexpr std::string_view kIrradianceNames[] = {"dni",
                                                            "bni",
                                                            "dn",
                                                            "ebn",
                                                            "beam",
                                                            "direct",
                                                            "normal",
                                                            "irradiance",
                                                            "irradiation",
                                                            "radiation",
                                                            "insolation"};
    const std::string words = joined_words(header);
    if (column == "azimuth_deg") return contains_word(words, kAzimuths);
    if (column == "elevation_deg") return contains_word(words, kElevationNames);
    return column == "dni_w_m2" && contains_word(words, kIrradianceNames);
}

bool could_decide(const std::string& header) {
    // Only direct irradiance reaches a receiver.
    static constexpr std::string_view kOtherLight[] = {"global", "diffuse", "horizontal"};
    static constexpr std::string_view kWords[] = {"dni",
                                                  "bni",
                                                  "beam",
                                                  "direct",
                                                  "irradiance",
                                                  "irradiation",
                                                  "radiation",
                                                  "insolation",
                                                  "azimuth",
                                                  "azi",
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
                                                  "efficiency",
                                                  "csr",
                                                  "sunshape",
                                                  "sigma"};
    const std::string words = joined_words(header);
    return !is_usual_weather(header) && !contains_word(words, kOtherLight) &&
           contains_word(words, kWords);
}

}  // namespace helioray
