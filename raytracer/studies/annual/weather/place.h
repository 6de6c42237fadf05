// SPDX-License-Identifier: MIT
// Sun and calendar at one location.
#pragma once

#include "raytracer/studies/annual/weather/irradiance.h"
#include "scenario/sun/solar_position.h"
#include "scenario/types/types.h"

#include <chrono>
#include <cstdint>
#include <optional>

namespace helioray {

/// Length of a day, milliseconds.
inline constexpr std::int64_t kMillisecondsPerDay = 86'400'000;

/// Sun and calendar at one location.
class Place {
  public:
    explicit Place(const GeodeticPosition& plant);

    /// Returns the calendar day of an instant (milliseconds since 1970-01-01T00:00:00Z) in mean
    /// solar time.
    std::chrono::year_month_day day(std::int64_t milliseconds) const;

    /// Returns the sun, its elevation, the month and the day at an instant; no value while the sun
    /// is down.
    std::optional<SunMoment> moment(std::int64_t milliseconds) const;

  private:
    GeodeticPosition plant_;
    Atmosphere air_;
};

}  // namespace helioray
