// SPDX-License-Identifier: MIT
// Computes the position of the sun with the NREL solar position algorithm.
#pragma once

#include "scenario/types/types.h"
#include "scenario/types/utc_time.h"

#include <optional>
#include <string>

namespace helioray {

/// Position of the Earth relative to the sun.
struct HeliocentricPosition {
    double longitude = 0.0;  ///< radians, [0, 2 pi)
    double latitude = 0.0;   ///< radians
    double radius = 0.0;     ///< astronomical units
};

/// Deviation of the Earth's axis from its mean direction.
struct Nutation {
    double longitude = 0.0;  ///< delta psi, radians
    double obliquity = 0.0;  ///< delta epsilon, radians
};

// Formulas of I. Reda and A. Andreas, NREL/TP-560-34302 (2008), sections 3.2 to 3.5. The argument
// is the Julian ephemeris day: Julian day plus delta T.

/// Returns the position of the Earth on its orbit.
HeliocentricPosition heliocentric_position(double julian_ephemeris_day);
/// Returns the periodic deviation of the Earth's axis from its mean direction.
Nutation nutation(double julian_ephemeris_day);

/// Returns the true obliquity of the ecliptic, including nutation, radians.
double true_obliquity(double julian_ephemeris_day, const Nutation& nutation);

/// Properties of the air at the plant that determine refraction.
struct Atmosphere {
    double pressure = 101325.0;   ///< Pa
    double temperature = 288.15;  ///< K
};

/// Returns the pressure of the International Standard Atmosphere at an altitude in metres (below 11
/// km), at 15 degrees C: a plant works by day, so its air does not get colder with altitude as free
/// air does.
Atmosphere standard_atmosphere(double altitude_m);

/// Direction to the sun's centre at the plant; radians.
struct SolarPosition {
    double azimuth = 0.0;  ///< clockwise from north, [0, 2 pi)
    /// Apparent elevation, with refraction if there is air, otherwise geometric.
    double elevation = 0.0;
    double geometric_elevation = 0.0;  ///< without refraction
};

/// Computes the solar position with NREL's algorithm (I. Reda and A. Andreas, NREL/TP-560-34302,
/// 2008), accurate to 0.0003 degrees. The plant's longitude is positive east of Greenwich;
/// delta_t_s is terrestrial minus universal time in seconds. Refraction is applied while a part of
/// the sun's disc is above the horizon, and never without an atmosphere.
SolarPosition solar_position(const UtcTime& time,
                             double delta_t_s,
                             const GeodeticPosition& plant,
                             const std::optional<Atmosphere>& air);

/// Returns the apparent position at a time in the format of the configuration (see
/// parse_iso8601()), with delta_t of that year and the standard atmosphere at the plant's altitude:
/// the direction in which a mirror sees the sun. Refraction is 0.24 degrees at 3 degrees of
/// elevation and 0.016 degrees at 45. Throws InputError for times that cannot be read, but not for
/// a sun below the horizon.
SolarPosition solar_position(const std::string& iso8601, const GeodeticPosition& plant);

/// Returns a warning about angles in degrees that are most likely in radians: both above 0, the
/// azimuth at most 2 pi and the elevation at most pi / 2.
std::optional<std::string> unlikely_angles(double azimuth_deg, double elevation_deg);

/// Returns the unit vector towards the sun in east, north, up, from its azimuth and apparent
/// elevation.
Vec3 direction_to_sun(const SolarPosition& position);

}  // namespace helioray
