// SPDX-License-Identifier: MIT
// Plan for the yield of a year: the grid of sun positions, and the year's sunlight.
#pragma once

#include "raytracer/studies/annual/sky_grid.h"
#include "raytracer/studies/annual/weather/irradiance.h"
#include "scenario/types/range.h"
#include "scenario/types/run_config.h"
#include "scenario/types/types.h"

#include <optional>
#include <string>

namespace helioray {

/// Sun positions of a year, see SkyGrid.
struct YearPositions {
    /// Lowest elevation of the sun at which the field works, degrees.
    double min_elevation_deg = 10.0;
    int declinations = 9;  ///< number of declinations of the grid; odd, in kGridCounts
    int hours = 13;        ///< number of hour angles per declination; odd, in kGridCounts
};

/// Range of the lowest elevation of a year, degrees.
inline constexpr Range kLowestElevations{
    1.0, 80.0, false, false, "the field works while the sun stands higher than this"};
/// Range of the number of declinations or hour angles of a year.
inline constexpr Range kGridCounts{
    3.0, 999.0, false, false, "each of them is as many positions as the other number"};
/// Range of calendar years.
inline constexpr Range kCalendarYears{
    1901.0, 2149.0, false, false, "the sun's position is known in these years"};
/// Range of the number of irradiances at which aim points are optimised.
inline constexpr Range kLevelCounts{
    3.0, 99.0, false, false, "aim points are optimised at each of them"};

/// Throws InputError for numbers outside these ranges.
void check_year_positions(const YearPositions& positions);

/// Throws InputError for a calendar year outside kCalendarYears.
void check_calendar_year(int year);

/// Returns the grid of these positions at a latitude in degrees. Throws like check_year_positions()
/// and SkyGrid.
SkyGrid sky_grid(const YearPositions& positions, double latitude_deg);

/// Options of the yield of a year.
struct YearOptions : YearPositions {
    ClearSky sky = ClearSky::hottel;  ///< irradiance model without a weather file
    std::string weather;              ///< weather file, see weather_year(); empty: `series` is used
    /// Weather without a file; without both, the sky is cloudless.
    std::optional<WeatherSeries> series;
    std::optional<TimeStamp> stamp;  ///< position of the times within the weather's intervals
    /// Calendar year; 0: 2026 for a cloudless sky, the year of the rows for weather.
    int year = 0;
    /// Number of irradiances at which aim points are optimised if flux limits bind; odd, in
    /// kLevelCounts.
    int levels = 3;
};

/// Grid, irradiance and plant, known before tracing.
struct YearPlan {
    SkyGrid grid;            ///< traced positions of the sun
    IrradianceYear year;     ///< sunlight of the year
    GeodeticPosition plant;  ///< position of the plant
};

/// Plans a year at a plant. Throws InputError for numbers outside the ranges above, and for invalid
/// grids and weather files.
YearPlan plan_year(const YearOptions& options, const GeodeticPosition& plant);

/// Returns the configuration with these positions as its series, without clouds and pictures; the
/// caller sets the result file. Throws InputError for model artist, which has no energy terms, and
/// for a table of states with times.
RunConfig config_of_positions(RunConfig config, SunSeries positions);

/// Returns the configuration with the grid's positions. clearness: irradiance as a multiple of that
/// of a cloudless sky, with the configuration's flux maps; not set: the configuration's irradiance,
/// with small flux maps because they are not stored. Where the weather has temperatures, each
/// position has their mean over the times that it represents. Throws InputError for model artist,
/// which has no energy terms.
RunConfig config_of_year(RunConfig config, const YearPlan& plan, std::optional<double> clearness);

}  // namespace helioray
