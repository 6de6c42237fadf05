// SPDX-License-Identifier: MIT
// The sunlight of a year, moment by moment.
#pragma once

#include "scenario/types.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace helioray {

/// Models of the irradiance by the sun's elevation and the plant's altitude.
enum class ClearSky {
    /// H. C. Hottel, Solar Energy 18 (1976) 129-134: standard atmosphere, visibility of 23 km, for
    /// altitudes up to 2500 m.
    hottel,
    /// A. B. Meinel and M. P. Meinel, Applied Solar Energy (1976), with the altitude term of E. G.
    /// Laue, Solar Energy 13 (1970) 43-57.
    meinel,
};

/// Highest altitude in metres that a model knows.
double highest_altitude(ClearSky model);

/// Irradiance outside of the atmosphere, W/m2: 1361 W/m2 (G. Kopp and J. L. Lean, Geophys. Res.
/// Lett. 38 (2011) L01706) with the distance of the day, 1 to 366.
double extraterrestrial_irradiance(int day_of_year);

/// Air mass relative to the zenith at an apparent elevation in radians (F. Kasten and A. T. Young,
/// Applied Optics 28 (1989) 4735-4738).
double air_mass(double elevation);

/// W/m2; 0 where the elevation (radians) is not above 0. Altitude in metres.
double clear_sky_dni(ClearSky model, double elevation, double altitude_m, int day_of_year);

/// The direct light of a short time.
struct SunMoment {
    Vec3 direction{};         ///< unit vector to the sun, ENU, with refraction
    double elevation = 0.0;   ///< radians, above 0
    double irradiance = 0.0;  ///< W/m2, direct normal
    double insolation = 0.0;  ///< J/m2: irradiance times duration
    int month = 0;            ///< 0 to 11, by the plant's mean solar time
};

/// The moments of a year with their irradiance, and where these come from.
struct IrradianceYear {
    std::vector<SunMoment> moments;  ///< with the sun up, in the order of time
    std::string source;              ///< "clear sky, Hottel", or the file
    double dark_insolation = 0.0;    ///< J/m2 in the file while the sun is down; left out
    std::vector<std::string> notes;  ///< remarks for users: missing hours, ...
    /// W/m2 of a cloudless sky at an elevation (radians), at the sun's mean distance. The
    /// irradiance of a moment divided by it is the clearness of that moment.
    std::function<double(double elevation)> clear_sky;

    /// Lowest and highest clearness of the moments from an elevation (radians) on that have light;
    /// both 0 where there are none. At most 1.25.
    std::array<double, 2> clearness(double min_elevation) const;
};

/// Irradiance in W/m2 at an elevation (radians) on a day (1 to 366).
using Sky = std::function<double(double elevation, int day_of_year)>;

/// A calendar year of ten-minute steps under a sky, a copy of which is the year's clear sky.
IrradianceYear year_of_sky(const GeodeticPosition& plant, int year, const Sky& sky);

/// The same for a model. Throws InputError for a plant above the model's altitudes.
IrradianceYear clear_year(const GeodeticPosition& plant, int year, ClearSky model);

/// Which moment of its interval the time of a row is.
enum class TimeStamp { start, middle, end };

/// Reads a weather file, whose format is recognised by its content:
/// - CSV with the columns time (ISO 8601 with offset) and dni_w_m2, the mean over an interval,
/// among
///   any others; without `stamp` times are starts;
/// - SAM's CSV and that of the NSRDB, TMY3, PVGIS (CSV and JSON), EPW and SolarTherm's .motab with
///   the meaning of their times. `stamp` is an error for formats that define it: EPW, TMY3, SAM's
///   CSV without the column Minute.
/// Rows ascend, all intervals are equal. `year` above 0 moves all rows to that year (typical years
/// are made of months of several). The irradiance of an interval in which the sun rises or sets
/// belongs to the time when it is up.
/// Missing values (empty, nan, -999) and negative ones count as dark where the sun is down; while
/// it is up missing rows and values count as dark, values from -20 to 0 as 0, both with a note, and
/// others outside of 0 to 1500 are refused. Throws InputError with every problem; unused columns,
/// missing days and a file of another place are notes.
IrradianceYear weather_year(const GeodeticPosition& plant,
                            const std::filesystem::path& file,
                            std::optional<TimeStamp> stamp,
                            int year);

/// Irradiances by time, as programs have them.
struct WeatherSeries {
    std::string name;                 ///< for messages
    std::vector<std::int64_t> times;  ///< milliseconds since 1970-01-01T00:00:00Z, ascending
    std::vector<double> dni;          ///< W/m2 of each time; not a number where there is none
};

/// The year of a series, by the same rules as for the rows of a CSV file.
IrradianceYear weather_year(const GeodeticPosition& plant,
                            const WeatherSeries& series,
                            std::optional<TimeStamp> stamp,
                            int year);

}  // namespace helioray
