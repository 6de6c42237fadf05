// SPDX-License-Identifier: MIT
// Where the Earth is on its orbit and how its axis nods: the astronomical half of the NREL solar
// position algorithm.
#pragma once

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

HeliocentricPosition heliocentric_position(double julian_ephemeris_day);
Nutation nutation(double julian_ephemeris_day);

/// True obliquity of the ecliptic in radians, nutation included.
double true_obliquity(double julian_ephemeris_day, const Nutation& nutation);

}  // namespace helioray
