// SPDX-License-Identifier: MIT
// Samples the declinations and hour angles of a year.
#include "raytracer/studies/efficiency/sky_coverage.h"

#include "raytracer/studies/annual/sky_grid.h"
#include "scenario/files/units.h"

#include <fmt/format.h>

#include <cmath>
#include <numbers>

namespace helioray {

SkyCoverage sky_coverage(const SunRectangle& suns, double latitude) {
    constexpr int kLongitudes = 180, kHourAngles = 120;
    constexpr double kTurn = 2.0 * std::numbers::pi;
    constexpr double kHoursOfYear = 8766.0;
    constexpr double kObliquity = 23.44 * kRadiansPerDegree;
    constexpr double kCell = kHoursOfYear / (kLongitudes * kHourAngles);
    SkyCoverage coverage;
    double highest = 0.0;
    for (int i = 0; i < kLongitudes; ++i) {
        const double longitude = kTurn * (i + 0.5) / kLongitudes;
        const double declination = std::asin(std::sin(kObliquity) * std::sin(longitude));
        for (int k = 0; k < kHourAngles; ++k) {
            const double hour_angle = kTurn * ((k + 0.5) / kHourAngles - 0.5);
            const SkyGrid::Node sun = sun_at_hour_angle(latitude, declination, hour_angle);
            if (sun.elevation <= 0.0 || sun.elevation < suns.elevations().front()) continue;
            coverage.hours += kCell;
            if (suns.contains(sun.azimuth, sun.elevation)) continue;
            coverage.hours_beyond += kCell;
            // Report the highest sun, which matters most.
            if (sun.elevation <= highest) continue;
            highest = sun.elevation;
            coverage.example = {sun.azimuth, sun.elevation};
        }
    }
    return coverage;
}

std::string coverage_warning(const SunRectangle& suns, double latitude) {
    const SkyCoverage coverage = sky_coverage(suns, latitude);
    constexpr double kNegligible = 1e-3;
    if (coverage.hours_beyond <= kNegligible * coverage.hours) return "";
    const auto degrees = [](double radians) { return radians / kRadiansPerDegree; };
    const double azimuth = degrees(coverage.example.azimuth);
    return fmt::format(
        "the sun of latitude {:.1f}° leaves the table in {:.0f} of {:.0f} hours of the year, for "
        "example at azimuth {:.0f}°, elevation {:.0f}°; the table has azimuths from {:g}° to {:g}° "
        "and elevations up to {:g}°, and beyond them its nearest entries count; give --azimuths "
        "0:345:24 or a range across north (-90:90:13), and --elevations up to 90",
        degrees(latitude),
        coverage.hours_beyond,
        coverage.hours,
        azimuth < 0.0 ? azimuth + 360.0 : azimuth,
        coverage.example.elevation / kRadiansPerDegree,
        degrees(suns.azimuths().front()),
        degrees(suns.azimuths().back()),
        degrees(suns.elevations().back()));
}

}  // namespace helioray
