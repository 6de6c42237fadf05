// SPDX-License-Identifier: MIT
// Direct normal irradiance under a cloudless sky.
#pragma once

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

}  // namespace helioray
