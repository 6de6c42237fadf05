// SPDX-License-Identifier: MIT
// Absorptance by angle of incidence, against published values.
#include "scenario/files/units.h"
#include "scenario/types/surface_absorption.h"
#include "tests/support/catch2.h"

#include <array>

using namespace helioray;

TEST_CASE("absorptance by angle of incidence") {
    SurfaceAbsorption surface;
    surface.absorptance = 0.5;
    const auto relative = [&](double degrees) {
        return absorptance_at(surface, degrees * kRadiansPerDegree) / surface.absorptance;
    };
    SECTION("constant") {
        CHECK(relative(0.0) == 1.0);
        CHECK(relative(89.0) == 1.0);
    }
    SECTION("Duffie and Beckman") {
        surface.law = AbsorptanceLaw::duffie_beckman;
        CHECK(relative(0.0) == 1.0);
        CHECK(relative(30.0) == Approx(0.98405).margin(6e-6));
        CHECK(relative(45.0) == Approx(0.97373).margin(6e-6));
        CHECK(relative(60.0) == Approx(0.92942).margin(6e-6));
        CHECK(relative(70.0) == Approx(0.84856).margin(6e-6));
        CHECK(relative(80.0) == Approx(0.63506).margin(6e-6));
        CHECK(relative(85.0) == Approx(0.5 * 0.63506).margin(6e-6));
        CHECK(relative(90.0) == Approx(0.0).margin(1e-9));
    }
    SECTION("Martin and Ruiz") {
        surface.law = AbsorptanceLaw::martin_ruiz;
        CHECK(relative(0.0) == Approx(1.0));
        CHECK(relative(30.0) == Approx(0.99747).margin(6e-6));
        CHECK(relative(45.0) == Approx(0.98987).margin(6e-6));
        CHECK(relative(60.0) == Approx(0.95791).margin(6e-6));
        CHECK(relative(70.0) == Approx(0.88377).margin(6e-6));
        CHECK(relative(80.0) == Approx(0.66348).margin(6e-6));
        CHECK(relative(90.0) == Approx(0.0).margin(1e-9));
    }
    SECTION("table") {
        surface.table = {{0.0, 0.96}, {50.0, 0.9}, {80.0, 0.6}};
        const auto at = [&](double degrees) {
            return absorptance_at(surface, degrees * kRadiansPerDegree);
        };
        CHECK(at(0.0) == 0.96);
        CHECK(at(25.0) == Approx(0.93));
        CHECK(at(65.0) == Approx(0.75));
        CHECK(at(85.0) == 0.6);
        CHECK_FALSE(find_absorption_fault(surface));
    }
}
