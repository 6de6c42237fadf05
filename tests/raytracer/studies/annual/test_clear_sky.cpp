// SPDX-License-Identifier: MIT
// Clear skies against published coefficients and values.
#include "raytracer/studies/annual/weather/irradiance.h"
#include "scenario/files/units.h"
#include "tests/support/catch2.h"

#include <cmath>

using namespace helioray;

namespace {}  // namespace

TEST_CASE("Hottel's transmittance at Madison") {
    // Duffie and Beckman, Solar Engineering of Thermal Processes, example 2.8.1: 270 m, 22 August,
    // cosine of the zenith angle 0.846; coefficients before their climate's correction.
    const double transmittance = 0.154 + 0.736 * std::exp(-0.363 / 0.846);
    const int day = 234;
    CHECK(extraterrestrial_irradiance(day) == Approx(1339.0 * 1361.0 / 1367.0).epsilon(1e-3));
    CHECK(clear_sky_dni(ClearSky::hottel, std::asin(0.846), 270.0, day) ==
          Approx(transmittance * extraterrestrial_irradiance(day)).epsilon(2e-3));
}

TEST_CASE("Air mass of Kasten and Young") {
    CHECK(air_mass(90.0 * kRadiansPerDegree) == Approx(0.9997).epsilon(1e-4));
    CHECK(air_mass(30.0 * kRadiansPerDegree) == Approx(1.9939).epsilon(1e-3));
    CHECK(air_mass(0.0) == Approx(37.92).epsilon(1e-3));
}

TEST_CASE("Meinel's sky lets 70 % through at the zenith of the sea and more higher up") {
    const double outside = extraterrestrial_irradiance(100);
    CHECK(clear_sky_dni(ClearSky::meinel, 90.0 * kRadiansPerDegree, 0.0, 100) ==
          Approx(0.7 * outside).epsilon(1e-3));
    CHECK(clear_sky_dni(ClearSky::meinel, 90.0 * kRadiansPerDegree, 2000.0, 100) ==
          Approx((0.72 * 0.7 + 0.28) * outside).epsilon(1e-3));
}

TEST_CASE("No sun, no light; the earth is nearest in January") {
    for (const ClearSky sky : {ClearSky::hottel, ClearSky::meinel}) {
        CHECK(clear_sky_dni(sky, 0.0, 500.0, 1) == 0.0);
        CHECK(clear_sky_dni(sky, -0.1, 500.0, 1) == 0.0);
        CHECK(clear_sky_dni(sky, 0.3, 500.0, 1) > clear_sky_dni(sky, 0.3, 500.0, 180));
        CHECK(clear_sky_dni(sky, 0.5, 500.0, 1) > clear_sky_dni(sky, 0.3, 500.0, 1));
    }
}
