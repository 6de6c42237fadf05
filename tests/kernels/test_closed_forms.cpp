// SPDX-License-Identifier: MIT
// Powers and flux that are known in closed form; published figures of Wang et al., Solar Energy 195
// (2020) 461-474, round A.
#include "kernels/receiver/disc.h"
#include "tests/kernels/scene.h"
#include "tests/support/catch2.h"

#include <cmath>
#include <numbers>

using namespace helioray::kernels;
using helioray::test::Scene;
using helioray::test::Sums;

namespace {

/// Delivered power of heliostat 0 in W and its standard error.
struct Power {
    double watts;
    double error;
};

Power delivered(const Scene& scene, const Sums& sums) {
    return {static_cast<double>(sums.energy[kDeliveredSum]) * scene.watts_per_quantum(),
            std::sqrt(static_cast<double>(sums.power_square[0]) / Scene::kSquareScale) *
                scene.watts_per_quantum()};
}

/// Mean flux (W/m2) of the pixels whose centres lie within `radius` of the target's centre, and its
/// standard error.
Power centre_flux(const Scene& scene, const Sums& sums, double radius) {
    const double width = scene.targets[0].width / scene.width;
    const double height = scene.targets[0].height / scene.height;
    double total = 0.0, square = 0.0, pixels = 0.0;
    for (int i = 0; i < scene.height; ++i) {
        for (int j = 0; j < scene.width; ++j) {
            const double x = (j + 0.5) * width - 0.5 * scene.targets[0].width;
            const double y = 0.5 * scene.targets[0].height - (i + 0.5) * height;
            if (x * x + y * y > radius * radius) continue;
            const auto p = static_cast<size_t>(i * scene.width + j);
            total += static_cast<double>(sums.flux[p]);
            square += static_cast<double>(sums.flux_square[p]) / Scene::kSquareScale;
            pixels += 1.0;
        }
    }
    const double scale = scene.watts_per_quantum() / (pixels * width * height);
    return {total * scale, std::sqrt(square) * scale};
}

struct Case {
    const char* name;
    AngularShape sun;
    AngularShape slope;
    double on_target_kw;
    double centre_kw_m2;
};

constexpr AngularShape kNone{AngularShape::Kind::none, 0.0f};
constexpr AngularShape gaussian(float mrad) {
    return {AngularShape::Kind::gaussian, mrad * 1e-3f};
}
constexpr AngularShape pillbox(float mrad) {
    return {AngularShape::Kind::pillbox, mrad * 1e-3f};
}

}  // namespace

TEST_CASE("one on-axis paraboloid: power on the target and flux at its centre") {
    const Case cases[] = {
        {"F1", kNone, pillbox(1), 100.0, 31.8310},
        {"F2", kNone, pillbox(2), 100.0, 7.9577},
        {"F3", kNone, pillbox(3), 100.0, 3.5368},
        {"F4", kNone, gaussian(1), 99.9873, 15.9155},
        {"F5", kNone, gaussian(2), 91.1070, 3.9789},
        {"F6", kNone, gaussian(3), 66.8433, 1.7684},
        {"F7", pillbox(4), kNone, 100.0, 7.9577},
        {"F8", gaussian(4), kNone, 91.1070, 3.9789},
        {"F9", pillbox(4.65f), gaussian(2), 83.9369, 2.8924},
        {"F10", gaussian(4), gaussian(2), 71.0145, 1.98944},
    };
    for (const auto sampling : {SamplingKind::random, SamplingKind::sobol}) {
        for (const Case& one : cases) {
            Scene scene = helioray::test::paraboloid_scene();
            scene.sun = one.sun;
            scene.slope_error = one.slope;
            scene.sampling = sampling;
            scene.plan(16, 31250);
            const Sums sums = scene.trace();
            const Power power = delivered(scene, sums);
            INFO(one.name << (sampling == SamplingKind::sobol ? " sobol" : " random") << ": "
                          << power.watts << " +- " << power.error);
            // The finite mirror changes the closed forms by about 1e-4.
            CHECK(std::abs(power.watts - 1000.0 * one.on_target_kw) <
                  4.0 * power.error + 1e-4 * power.watts);
            const double radius = 0.3;
            const Power centre = centre_flux(scene, sums, radius);
            // A Gaussian spot falls off within the averaged disc: mean over it = peak (1 -
            // exp(-r2/2s2)) 2s2/r2.
            double expected = 1000.0 * one.centre_kw_m2;
            if (one.slope.kind == AngularShape::Kind::gaussian ||
                one.sun.kind == AngularShape::Kind::gaussian) {
                const double power_w = 1000.0 * 100.0;
                const double variance = power_w / (2.0 * std::numbers::pi * expected);
                const double x = radius * radius / (2.0 * variance);
                if (one.sun.kind != AngularShape::Kind::pillbox)
                    expected *= (1.0 - std::exp(-x)) / x;
                else
                    expected *= 1.0 - 0.5 * radius * radius / 4.0 * 0.5;
            }
            INFO("centre flux " << centre.watts << " +- " << centre.error << ", expected "
                                << expected);
            CHECK(std::abs(centre.watts - expected) < 4.0 * centre.error + 6e-3 * expected);
        }
    }
}

TEST_CASE("incident power follows the cosine of incidence") {
    for (const float degrees : {0.0f, 30.0f, 60.0f, 85.0f}) {
        Scene scene = helioray::test::paraboloid_scene();
        scene.facets[0] = helioray::test::analytic_facet(FacetKind::flat, 5.0f, 5.0f, 0.0f);
        scene.area = 100.0;
        const double angle = degrees * std::numbers::pi / 180.0;
        scene.heliostats[0].sun_direction[0] = static_cast<float>(std::sin(angle));
        scene.heliostats[0].sun_direction[2] = static_cast<float>(-std::cos(angle));
        scene.plan(4, 1000);
        const Sums sums = scene.trace();
        const double incident =
            static_cast<double>(sums.energy[kIncidentSum]) * scene.watts_per_quantum();
        CHECK(incident == Approx(1000.0 * 100.0 * std::cos(angle)).epsilon(1e-5));
    }
}

TEST_CASE(
    "flat mirror, collimated sun, target normal to the beam: uniform flux inside the projected "
    "rectangle") {
    Scene scene = helioray::test::paraboloid_scene();
    scene.facets[0] = helioray::test::analytic_facet(FacetKind::flat, 2.0f, 1.0f, 0.0f);
    scene.area = 8.0;
    scene.reflectivity = 0.9f;
    scene.width = scene.height = 16;
    scene.plan(16, 31250);
    const Sums sums = scene.trace();
    // The image is 4 x 2 m in the middle of the 8 x 8 m target: pixels of 0.5 m, 8 x 4 of them lit.
    for (int i = 0; i < 16; ++i) {
        for (int j = 0; j < 16; ++j) {
            const auto p = static_cast<size_t>(16 * i + j);
            const bool lit = j >= 4 && j < 12 && i >= 6 && i < 10;
            const double flux =
                static_cast<double>(sums.flux[p]) * scene.watts_per_quantum() / 0.25;
            CHECK(flux == Approx(lit ? 900.0 : 0.0).margin(9.0));
        }
    }
}

TEST_CASE("small flat mirror, pillbox sun: uniform disc") {
    Scene scene = helioray::test::paraboloid_scene();
    scene.facets[0] = helioray::test::analytic_facet(FacetKind::flat, 0.05f, 0.05f, 0.0f);
    scene.area = 0.01;
    scene.sun = pillbox(4.65f);
    scene.plan(16, 31250);
    const Sums sums = scene.trace();
    const double expected =
        1000.0 * 0.01 / (std::numbers::pi * std::pow(500.0 * std::tan(4.65e-3), 2));
    const Power centre = centre_flux(scene, sums, 2.0);
    CHECK(std::abs(centre.watts - expected) < 4.0 * centre.error + 1e-4 * expected);
    CHECK(centre_flux(scene, sums, 2.2).watts == Approx(expected).epsilon(3e-3));
}

TEST_CASE(
    "oblique slope error spreads the beam by 2 sigma in the plane of incidence and 2 sigma cos i "
    "across it") {
    // Small flat mirror at the origin of a target 100 m away; sun 60 degrees off the normal in the
    // x-z plane.
    const double i = std::numbers::pi / 3.0;
    Scene scene;
    // Reflected beam goes straight to the target: normal halfway between -z (beam) and sun.
    const double half = i;
    const auto c = static_cast<float>(std::cos(half));
    const auto s = static_cast<float>(std::sin(half));
    // Columns e, n, u: u = (s, 0, -c), n = (0, -1, 0) ... e completes the right-handed frame.
    scene.heliostats.push_back(helioray::test::heliostat(
        {c, 0, s, 0, -1, 0, s, 0, -c},
        {0, 0, 100},
        {static_cast<float>(std::sin(2.0 * i)), 0, static_cast<float>(-std::cos(2.0 * i))}));
    scene.facets.push_back(helioray::test::analytic_facet(FacetKind::flat, 0.001f, 0.001f, 0.0f));
    scene.targets.push_back(helioray::test::plane(4.0f, 4.0f));
    scene.area = 4e-6;
    scene.slope_error = gaussian(1);
    scene.width = scene.height = 128;
    scene.plan(8, 62500);
    const Sums sums = scene.trace();
    double total = 0.0, xx = 0.0, yy = 0.0;
    for (int row = 0; row < 128; ++row) {
        for (int column = 0; column < 128; ++column) {
            const auto quanta =
                static_cast<double>(sums.flux[static_cast<size_t>(128 * row + column)]);
            const double x = ((column + 0.5) / 128 - 0.5) * 4.0;
            const double y = (0.5 - (row + 0.5) / 128) * 4.0;
            total += quanta;
            xx += quanta * x * x;
            yy += quanta * y * y;
        }
    }
    CHECK(std::sqrt(xx / total) == Approx(100.0 * 2e-3).epsilon(5e-3));
    CHECK(std::sqrt(yy / total) == Approx(100.0 * 2e-3 * std::cos(i)).epsilon(5e-3));
}

TEST_CASE("ideal paraboloidal dish: flux at the focus") {
    // R = f = 10 m, square aperture inside the circle is not the published case; the centre flux of
    // the round dish is sin^2(rim) / sin^2(w) suns, and a square of half width h collects the
    // integral of the same integrand.
    Scene scene;
    scene.heliostats.push_back(
        helioray::test::heliostat({1, 0, 0, 0, -1, 0, 0, 0, -1}, {0, 0, 10}, {0, 0, -1}));
    scene.facets.push_back(
        helioray::test::analytic_facet(FacetKind::paraboloid, 7.0f, 7.0f, 10.0f));
    const double extent[2] = {7.0, 7.0};
    scene.area = analytic_area(FacetKind::paraboloid, extent, 10.0);
    scene.targets.push_back(helioray::test::plane(0.02f, 0.02f));
    scene.sun = pillbox(4.65f);
    scene.width = scene.height = 2;
    scene.plan(16, 62500);
    const Sums sums = scene.trace();
    // Each mirror point shows the whole solar disc at the focus: E = DNI integral cos(phi) dOmega /
    // (pi sin^2 w) with phi the angle at the focus; over the square, dOmega cos(phi) = (cos(phi) /
    // p)^2 ... evaluated numerically.
    double expected = 0.0;
    const int n = 2000;
    for (int a = 0; a < n; ++a) {
        for (int b = 0; b < n; ++b) {
            const double x = 14.0 * ((a + 0.5) / n - 0.5);
            const double y = 14.0 * ((b + 0.5) / n - 0.5);
            const double r2 = x * x + y * y;
            const double distance = 10.0 + r2 / 40.0;
            const double cosine = (10.0 - r2 / 40.0) / distance;
            // dA projected = dx dy; radiance DNI / (pi sin^2 w) times the solid angle dx dy /
            // distance^2 (normal halfway).
            expected += cosine / (distance * distance);
        }
    }
    expected *=
        1000.0 * (14.0 / n) * (14.0 / n) / (std::numbers::pi * std::pow(std::sin(4.65e-3), 2));
    const double flux =
        static_cast<double>(sums.energy[kDeliveredSum]) * scene.watts_per_quantum() / 4e-4;
    CHECK(flux == Approx(expected).epsilon(5e-3));
}

TEST_CASE("a disc cuts its share out of a pillbox image, and pixels outside it stay dark") {
    // A point mirror 500 m away: the image of a pillbox sun of 4 mrad is even within 4 mrad.
    constexpr double kDistance = 500.0;
    Scene scene = helioray::test::paraboloid_scene();
    scene.facets[0] = helioray::test::analytic_facet(FacetKind::flat, 1e-3f, 1e-3f, 0.0f);
    scene.area = 4e-6;
    scene.sun = {AngularShape::Kind::pillbox, 4e-3f};
    for (const double radius : {1.0, 1.7, 2.5}) {
        scene.targets[0] = disc_record(radius);
        scene.plan(8, 65536);
        const Sums sums = scene.trace();
        const double within = std::min(1.0, std::pow(std::atan(radius / kDistance) / 4e-3, 2.0));
        const auto delivered = static_cast<double>(sums.energy[kDeliveredSum]);
        const auto unblocked = static_cast<double>(sums.energy[kUnblockedSum]);
        CHECK(delivered / unblocked == Approx(within).margin(2e-3));
        // No pixel beyond the disc holds anything, and nothing is lost between pixels.
        int64_t total = 0;
        for (int i = 0; i < scene.height; ++i) {
            for (int j = 0; j < scene.width; ++j) {
                const int64_t quanta = sums.flux[static_cast<size_t>(i * scene.width + j)];
                total += quanta;
                const double x = std::abs((j + 0.5) / scene.width - 0.5) - 0.5 / scene.width;
                const double y = std::abs((i + 0.5) / scene.height - 0.5) - 0.5 / scene.height;
                if (std::hypot(std::max(x, 0.0), std::max(y, 0.0)) > 0.5) CHECK(quanta == 0);
            }
        }
        CHECK(total == sums.energy[kDeliveredSum]);
        for (const InstructionSet set : usable_instruction_sets())
            CHECK(scene.trace(2, set).flux == sums.flux);
    }
}
