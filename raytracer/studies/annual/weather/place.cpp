// SPDX-License-Identifier: MIT
// Computes the sun's position at instants in milliseconds.
#include "raytracer/studies/annual/weather/place.h"

#include "scenario/types/utc_time.h"

namespace helioray {

Place::Place(const GeodeticPosition& plant)
    : plant_(plant), air_(standard_atmosphere(plant.altitude_m)) {}

std::chrono::year_month_day Place::day(std::int64_t milliseconds) const {
    const auto solar = milliseconds + static_cast<std::int64_t>(plant_.longitude_deg / 360.0 *
                                                                kMillisecondsPerDay);
    return std::chrono::year_month_day{std::chrono::floor<std::chrono::days>(
        std::chrono::sys_time<std::chrono::milliseconds>(std::chrono::milliseconds(solar)))};
}

std::optional<SunMoment> Place::moment(std::int64_t milliseconds) const {
    const double days = static_cast<double>(milliseconds) / kMillisecondsPerDay;
    constexpr double kUnixEpoch = 2440587.5;
    const UtcTime time{kUnixEpoch + days, 1970.0 + days / 365.2425};
    const SolarPosition sun = solar_position(time, delta_t(time.decimal_year), plant_, air_);
    if (sun.elevation <= 0.0) return std::nullopt;
    const std::chrono::year_month_day date = day(milliseconds);
    return SunMoment{direction_to_sun(sun),
                     sun.elevation,
                     0.0,
                     0.0,
                     static_cast<int>(static_cast<unsigned>(date.month())) - 1,
                     std::chrono::sys_days(date).time_since_epoch().count()};
}

}  // namespace helioray
