// SPDX-License-Identifier: MIT
// Irradiance models of clear skies.
#include "raytracer/studies/annual/weather/irradiance.h"
#include "scenario/files/units.h"

#include <cmath>
#include <numbers>

namespace helioray {

namespace {

double hottel_transmittance(double sine, double altitude_km) {
    const auto square = [](double x) { return x * x; };
    const double a0 = 0.4237 - 0.00821 * square(6.0 - altitude_km);
    const double a1 = 0.5055 + 0.00595 * square(6.5 - altitude_km);
    const double k = 0.2711 + 0.01858 * square(2.5 - altitude_km);
    return a0 + a1 * std::exp(-k / sine);
}

double meinel_transmittance(double elevation, double altitude_km) {
    const double thin = 0.14 * altitude_km;
    return (1.0 - thin) * std::pow(0.7, std::pow(air_mass(elevation), 0.678)) + thin;
}

}  // namespace

double highest_altitude(ClearSky model) {
    return model == ClearSky::hottel ? 2500.0 : 5000.0;
}

double extraterrestrial_irradiance(int day_of_year) {
    return 1361.0 * (1.0 + 0.033 * std::cos(2.0 * std::numbers::pi * day_of_year / 365.0));
}

double air_mass(double elevation) {
    const double degrees = elevation / kRadiansPerDegree;
    return 1.0 / (std::sin(elevation) + 0.50572 * std::pow(degrees + 6.07995, -1.6364));
}

double clear_sky_dni(ClearSky model, double elevation, double altitude_m, int day_of_year) {
    if (!(elevation > 0.0)) return 0.0;
    const double altitude_km = altitude_m / 1000.0;
    const double transmittance = model == ClearSky::hottel
                                     ? hottel_transmittance(std::sin(elevation), altitude_km)
                                     : meinel_transmittance(elevation, altitude_km);
    return extraterrestrial_irradiance(day_of_year) * transmittance;
}

}  // namespace helioray
