// SPDX-License-Identifier: MIT
// The sunlight of a year at every moment.
#pragma once

#include "scenario/types/choices.h"
#include "scenario/types/types.h"

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
/// Names of the models of a cloudless sky.
inline const Choices<ClearSky> kClearSkies{{"hottel", ClearSky::hottel},
                                           {"meinel", ClearSky::meinel}};

/// Returns the highest altitude for which a model is valid, metres.
double highest_altitude(ClearSky model);

/// Returns the irradiance outside the atmosphere, W/m2: 1361 W/m2 (G. Kopp and J. L. Lean, Geophys.
/// Res. Lett. 38 (2011) L01706), adjusted to the distance of the sun on the day (1 to 366).
double extraterrestrial_irradiance(int day_of_year);

/// Returns the air mass relative to the zenith at an apparent elevation in radians (F. Kasten and
/// A. T. Young, Applied Optics 28 (1989) 4735-4738).
double air_mass(double elevation);

/// Returns the direct normal irradiance, W/m2; 0 if the elevation (radians) is not above 0.
/// Altitude in metres.
double clear_sky_dni(ClearSky model, double elevation, double altitude_m, int day_of_year);

/// Direct light during a short time.
struct SunMoment {
    Vec3 direction{};         ///< unit vector to the sun, ENU, with refraction
    double elevation = 0.0;   ///< elevation of the sun, radians, above 0
    double irradiance = 0.0;  ///< direct normal irradiance, W/m2
    double insolation = 0.0;  ///< irradiance times duration, J/m2
    int month = 0;            ///< month from 0 to 11, by the plant's mean solar time
    std::int64_t day = 0;     ///< days since 1970-01-01, by the plant's mean solar time
    /// Temperature of the air, °C; not set if it is not known.
    std::optional<double> temperature = {};
};

/// The moments of a year with their irradiance, and where these come from.
struct IrradianceYear {
    std::vector<SunMoment> moments;  ///< moments with the sun up, in the order of time
    std::string source;              ///< "clear sky, Hottel", or the name of the file
    /// Insolation that the file gives while the sun is down, which is omitted, J/m2.
    double dark_insolation = 0.0;
    std::vector<std::string> notes;  ///< remarks for users: missing hours, ...
    /// Returns the irradiance of a cloudless sky at an elevation (radians), at the sun's mean
    /// distance, W/m2. The clearness of a moment is its irradiance divided by this value.
    std::function<double(double elevation)> clear_sky;

    /// Returns the lowest and highest clearness of the lit moments at or above an elevation
    /// (radians); both are 0 if there are none. At most 1.25.
    std::array<double, 2> clearness(double min_elevation) const;
};

/// Returns the irradiance in W/m2 at an elevation (radians) on a day (1 to 366).
using Sky = std::function<double(double elevation, int day_of_year)>;

/// Returns a calendar year of ten-minute steps under a sky. The year's clear sky is a copy of
/// `sky`.
IrradianceYear year_of_sky(const GeodeticPosition& plant, int year, const Sky& sky);

/// Returns a calendar year under the sky of a model. Throws InputError for a plant above the
/// model's altitudes.
IrradianceYear clear_year(const GeodeticPosition& plant, int year, ClearSky model);

/// Position of a row's time within its interval.
enum class TimeStamp { start, middle, end };
/// Names of these positions.
inline const Choices<TimeStamp> kTimeStamps{
    {"start", TimeStamp::start}, {"middle", TimeStamp::middle}, {"end", TimeStamp::end}};

/// Reads a weather file, whose format is recognised by its content:
/// - CSV with the columns time (ISO 8601 with offset) and dni_w_m2, the mean over an interval, and
///   temperature_c if it is known, among any others; without `stamp`, times are starts of
///   intervals;
/// - SAM's CSV and that of the NSRDB, TMY3, PVGIS (CSV and JSON), EPW and SolarTherm's .motab with
///   the times that these formats define. `stamp` is an error for formats that define it: EPW,
///   TMY3, SAM's CSV without the column Minute.
///
/// Rows must ascend, and all intervals must be equal. `year` above 0 moves all rows to that year
/// (the months of typical years come from several years). The irradiance of an interval with
/// sunrise or sunset is assigned to the time while the sun is up.
///
/// Missing values (empty, nan, -999) and negative ones count as dark while the sun is down. While
/// it is up, missing rows and values count as dark and values from -20 to 0 as 0, both with a note;
/// other values outside 0 to 1500 are refused. Temperatures outside kTemperatures are missing.
/// Throws InputError with every problem. Unused columns, missing days and a file for another
/// location cause notes.
IrradianceYear weather_year(const GeodeticPosition& plant,
                            const std::filesystem::path& file,
                            std::optional<TimeStamp> stamp,
                            int year);

/// Irradiances by time, from the memory of a program.
struct WeatherSeries {
    std::string name;                 ///< name for messages
    std::vector<std::int64_t> times;  ///< milliseconds since 1970-01-01T00:00:00Z, ascending
    std::vector<double> dni;          ///< irradiance at each time, W/m2; NaN for missing values
    /// Temperature of the air at each time, °C; NaN for missing values; empty if it is not known.
    std::vector<double> temperature = {};
};

/// Returns the year of a series by the rules for the rows of a CSV file.
IrradianceYear weather_year(const GeodeticPosition& plant,
                            const WeatherSeries& series,
                            std::optional<TimeStamp> stamp,
                            int year);

}  // namespace helioray
