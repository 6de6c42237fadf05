// SPDX-License-Identifier: MIT
// What is traced for the yield of a year: the grid of sun positions, and the year's sunlight.
#pragma once

#include "raytracer/annual/irradiance.h"
#include "raytracer/annual/sky_grid.h"
#include "scenario/range.h"
#include "scenario/run_config.h"
#include "scenario/types.h"

#include <optional>
#include <string>

namespace helioray {

/// The sun positions of a year, see SkyGrid.
struct YearPositions {
    double min_elevation_deg = 10.0;  ///< lowest elevation of the sun at which the field works
    int declinations = 9;             ///< of the grid; odd, in kGridCounts
    int hours = 13;                   ///< hour angles of each declination; odd, in kGridCounts
};

/// Degrees that the lowest elevation of a year may have.
inline constexpr Range kLowestElevations{
    1.0, 80.0, false, false, "the field works while the sun stands higher than this"};
/// Declinations or hour angles of a year.
inline constexpr Range kGridCounts{
    3.0, 999.0, false, false, "each of them is as many positions as the other number"};
/// Calendar years.
inline constexpr Range kCalendarYears{
    1901.0, 2149.0, false, false, "the sun's position is known in these years"};
/// Irradiances at which aim points are optimised.
inline constexpr Range kLevelCounts{
    3.0, 99.0, false, false, "aim points are optimised at each of them"};

/// Throws InputError for numbers outside of these limits.
void check_year_positions(const YearPositions& positions);

/// The grid of these positions at a latitude in degrees. Throws as check_year_positions() and
/// SkyGrid.
SkyGrid sky_grid(const YearPositions& positions, double latitude_deg);

/// How a year is computed.
struct YearOptions : YearPositions {
    ClearSky sky = ClearSky::hottel;  ///< irradiance without a weather file
    std::string weather;              ///< file of weather_year(); empty: see `series`
    /// Weather without a file; nothing, and no file: a cloudless sky.
    std::optional<WeatherSeries> series;
    std::optional<TimeStamp> stamp;  ///< of the weather's rows
    /// Calendar year; 0: 2026 for a cloudless sky, that of the rows for weather.
    int year = 0;
    /// Irradiances at which aim points are optimised where flux limits bind; odd, in kLevelCounts.
    int levels = 3;
};

/// The grid, the irradiance and the plant, known before tracing.
struct YearPlan {
    SkyGrid grid;            ///< positions of the sun that are traced
    IrradianceYear year;     ///< the sunlight
    GeodeticPosition plant;  ///< where
};

/// Plans a year at a plant. Throws InputError for numbers outside of the limits above, for grids
/// and for weather files that do not work out.
YearPlan plan_year(const YearOptions& options, const GeodeticPosition& plant);

/// The configuration with these positions as its series, without clouds and pictures; the result
/// file is left to the caller. Throws InputError for model artist, which has no energy terms.
RunConfig config_of_positions(RunConfig config, SunSeries positions);

/// The same with the grid's positions. clearness: irradiance as a multiple of that of a cloudless
/// sky, with the configuration's flux maps; nothing: the configuration's irradiance, and small flux
/// maps as they are not kept. Throws InputError for model artist, which has no energy terms.
RunConfig config_of_year(RunConfig config, const YearPlan& plan, std::optional<double> clearness);

}  // namespace helioray
