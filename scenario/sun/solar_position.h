// SPDX-License-Identifier: MIT
// Where the sun stands: the NREL solar position algorithm.
#pragma once

#include "scenario/types.h"
#include "scenario/utc_time.h"

#include <optional>
#include <string>

namespace helioray {

/// Earth as seen from the sun.
struct HeliocentricPosition {
    double longitude = 0.0;  ///< radians, [0, 2 pi)
    double latitude = 0.0;   ///< radians
    double radius = 0.0;     ///< astronomical units
};

/// Orientation of the Earth's axis.
struct Nutation {
    double longitude = 0.0;  ///< radians, delta psi
    double obliquity = 0.0;  ///< radians, delta epsilon
};

// Formulas of I. Reda and A. Andreas, NREL/TP-560-34302 (2008), sections 3.2 to 3.5. The argument
// is the Julian ephemeris day: Julian day plus delta T.

/// The Earth on its orbit.
HeliocentricPosition heliocentric_position(double julian_ephemeris_day);
/// Periodic deviation of the Earth's axis from its mean direction.
Nutation nutation(double julian_ephemeris_day);

/// True obliquity of the ecliptic in radians, nutation included.
double true_obliquity(double julian_ephemeris_day, const Nutation& nutation);

/// Air at the plant, as far as it bends the light.
struct Atmosphere {
    double pressure = 101325.0;   ///< Pa
    double temperature = 288.15;  ///< K
};

/// International Standard Atmosphere's pressure at an altitude in metres (below 11 km), at 15
/// degrees C: a plant works by day, so that its air does not get colder with altitude as free air
/// does.
Atmosphere standard_atmosphere(double altitude_m);

/// Direction to the sun's centre as seen at the plant; radians.
struct SolarPosition {
    double azimuth = 0.0;    ///< clockwise from north, [0, 2 pi)
    double elevation = 0.0;  ///< apparent: with refraction where there is air, else geometric
    double geometric_elevation = 0.0;  ///< without refraction
};

/// NREL's solar position algorithm (I. Reda and A. Andreas, NREL/TP-560-34302, 2008), to 0.0003
/// degrees. The plant's longitude counts from Greenwich towards the east; delta_t_s is terrestrial
/// minus universal time in seconds. Refraction lifts the sun while a part of its disc is above the
/// horizon; without an atmosphere never.
SolarPosition solar_position(const UtcTime& time,
                             double delta_t_s,
                             const GeodeticPosition& plant,
                             const std::optional<Atmosphere>& air);

/// The apparent position at a time as the configuration has it (see parse_iso8601), with delta_t of
/// that year and the standard atmosphere at the plant's altitude: where a mirror sees the sun.
/// Refraction is 0.24 degrees at 3 degrees of elevation and 0.016 degrees at 45. Throws InputError
/// for times that cannot be read; a sun below the horizon is a result like any other.
SolarPosition solar_position(const std::string& iso8601, const GeodeticPosition& plant);

/// Unit vector towards the sun in east, north, up, from its azimuth and apparent elevation.
Vec3 direction_to_sun(const SolarPosition& position);

}  // namespace helioray
