// SPDX-License-Identifier: MIT
// The sunlight of a year, moment by moment.
#pragma once

#include "scenario/sun/clear_sky.h"
#include "scenario/types.h"

#include <cstddef>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace helioray {

/// The direct light of a short time.
struct SunMoment {
    Vec3 direction{};         ///< unit vector to the sun, ENU, with refraction
    double elevation = 0.0;   ///< radians, above 0
    double insolation = 0.0;  ///< J/m2: direct normal irradiance times duration
    int month = 0;            ///< 0 to 11, by the plant's mean solar time
};

/// The moments of a year with their irradiance, and where these come from.
struct IrradianceYear {
    std::vector<SunMoment> moments;  ///< with the sun up, in the order of time
    std::string source;              ///< "clear sky, Hottel", or the file
    double dark_insolation = 0.0;    ///< J/m2 in the file while the sun is down; left out
    std::vector<std::string> notes;  ///< remarks for users: missing hours, ...
};

/// Irradiance in W/m2 at an elevation (radians) on a day (1 to 366).
using Sky = std::function<double(double elevation, int day_of_year)>;

/// A calendar year of ten-minute steps under a sky.
IrradianceYear year_of_sky(const GeodeticPosition& plant, int year, const Sky& sky);

/// The same for a model. Throws InputError for a plant above the model's altitudes.
IrradianceYear clear_year(const GeodeticPosition& plant, int year, ClearSky model);

/// Which end of its interval the time of a row is.
enum class TimeStamp { start, end };

/// Reads a weather file: CSV with the columns time (ISO 8601 with offset) and dni_w_m2, the mean
/// over an interval, among any others; or an EPW file. Rows ascend, all intervals are equal.
/// Without `stamp` times are starts; it is an error for EPW files, whose format defines them.
/// `year` above 0 moves all rows to that year (typical years are made of months of several). The
/// irradiance of an interval in which the sun rises or sets belongs to the time when it is up.
/// Throws InputError with every problem; missing rows, values (empty, nan) and days, unused columns
/// and an EPW file of another place are notes.
IrradianceYear weather_year(const GeodeticPosition& plant,
                            const std::filesystem::path& file,
                            std::optional<TimeStamp> stamp,
                            int year);

}  // namespace helioray
