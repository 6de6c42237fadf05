// SPDX-License-Identifier: MIT
// Powers and flux that are known in closed form. The published figures (F1 to F10) are compared in
// app/validation.
#include "kernels/receiver/disc.h"
#include "tests/kernels/scene.h"
#include "tests/support/catch2.h"

#include <cmath>
#include <functional>
#include <numbers>
#include <utility>

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

/// Flux of a pixel's centre (metres right of and above the target's centre), W/m2.
using FluxAt = std::function<double(double, double)>;

/// Mean flux of the pixels whose centres lie within `radius` of the target's centre, its standard
/// error, and the mean of the expected flux over the same pixels; all in W/m2.
struct CentreFlux {
    double traced;
    double error;
    double expected;
};

CentreFlux centre_flux(const Scene& scene,
                       const Sums& sums,
                       double radius,
                       const FluxAt& expected) {
    const double width = scene.targets[0].width / scene.width;
    const double height = scene.targets[0].height / scene.height;
    double total = 0.0, square = 0.0, pixels = 0.0, flux = 0.0;
    for (int i = 0; i < scene.height; ++i) {
        for (int j = 0; j < scene.width; ++j) {
            const double x = (j + 0.5) * width - 0.5 * scene.targets[0].width;
            const double y = 0.5 * scene.targets[0].height - (i + 0.5) * height;
            if (x * x + y * y > radius * radius) continue;
            const auto p = static_cast<size_t>(i * scene.width + j);
            total += static_cast<double>(sums.flux[p]);
            square += static_cast<double>(sums.flux_square[p]) / Scene::kSquareScale;
            flux += expected(x, y);
            pixels += 1.0;
        }
    }
    const double scale = scene.watts_per_quantum() / (pixels * width * height);
    return {total * scale, std::sqrt(square) * scale, flux / pixels};
}

constexpr AngularShape kNone{AngularShape::Kind::none, 0.0f};
constexpr AngularShape gaussian(float mrad) {
    return {AngularShape::Kind::gaussian, mrad * 1e-3f};
}
constexpr AngularShape pillbox(float mrad) {
    return {AngularShape::Kind::pillbox, mrad * 1e-3f};
}

/// A spot of power 1 on a plane: a disc of constant flux, blurred by a Gaussian. Either may be 0.
struct Spot {
    double radius = 0.0;    ///< radius of the disc, metres
    double variance = 0.0;  ///< of the Gaussian, per axis, m2

    /// Adds an error that moves rays by `metres` per radian.
    void add(const AngularShape& shape, double metres) {
        const double width = metres * static_cast<double>(shape.width);
        if (shape.kind == AngularShape::Kind::gaussian) variance += width * width;
        if (shape.kind == AngularShape::Kind::pillbox) radius = width;
    }

    /// Returns the mean of a function over the disc.
    double mean_over_disc(const FluxAt& function) const {
        if (radius == 0.0) return function(0.0, 0.0);
        constexpr int kRings = 64, kAngles = 32;
        double sum = 0.0;
        for (int i = 0; i < kRings; ++i) {
            const double r = radius * std::sqrt((i + 0.5) / kRings);
            for (int k = 0; k < kAngles; ++k) {
                const double angle = 2.0 * std::numbers::pi * (k + 0.5) / kAngles;
                sum += function(r * std::cos(angle), r * std::sin(angle));
            }
        }
        return sum / (kRings * kAngles);
    }

    /// Returns the flux at a point within the disc, 1/m2.
    double flux(double x, double y) const {
        if (variance == 0.0) return 1.0 / (std::numbers::pi * radius * radius);
        return mean_over_disc([&](double u, double v) {
            const double square = (x - u) * (x - u) + (y - v) * (y - v);
            return std::exp(-0.5 * square / variance) / (2.0 * std::numbers::pi * variance);
        });
    }

    /// Returns the power on a square, which contains the disc.
    double power_within(double half_width) const {
        if (variance == 0.0) return 1.0;
        const double scale = 1.0 / std::sqrt(2.0 * variance);
        const auto within = [&](double u) {
            return 0.5 * (std::erf((half_width - u) * scale) + std::erf((half_width + u) * scale));
        };
        return mean_over_disc([&](double u, double v) { return within(u) * within(v); });
    }
};

}  // namespace

TEST_CASE("one on-axis paraboloid: power on the target and flux at its centre") {
    const std::pair<AngularShape, AngularShape> shapes[] = {{kNone, pillbox(1)},
                                                            {kNone, pillbox(3)},
                                                            {kNone, gaussian(1)},
                                                            {kNone, gaussian(3)},
                                                            {pillbox(4), kNone},
                                                            {gaussian(4), kNone},
                                                            {pillbox(4.65f), gaussian(2)},
                                                            {gaussian(4), gaussian(2)}};
    // The finite mirror changes the closed forms by about 1e-4.
    constexpr double kFiniteMirror = 2e-4;
    constexpr double kDistance = 500.0;
    constexpr double kPower = 1e5;
    for (const auto sampling : {SamplingKind::random, SamplingKind::sobol}) {
        for (const auto& [sun, slope_error] : shapes) {
            Scene scene = helioray::test::paraboloid_scene();
            scene.sun = sun;
            scene.slope_error = slope_error;
            scene.sampling = sampling;
            scene.plan(64, 31250);
            const Sums sums = scene.trace();
            Spot spot;
            spot.add(sun, kDistance);
            spot.add(slope_error, 2.0 * kDistance);
            INFO("sun " << 1e3f * sun.width << " mrad, slope error " << 1e3f * slope_error.width
                        << " mrad, " << (sampling == SamplingKind::sobol ? "sobol" : "random"));

            const Power power = delivered(scene, sums);
            const double expected = kPower * spot.power_within(4.0);
            INFO("power " << power.watts << " +- " << power.error << ", expected " << expected);
            CHECK(std::abs(power.watts - expected) < 4.0 * power.error + kFiniteMirror * expected);

            // The flux of Gaussian spots decreases by up to a fifth within this radius.
            const double radius = spot.variance > 0.0 ? 1.0 : 0.8 * spot.radius;
            const CentreFlux centre = centre_flux(
                scene, sums, radius, [&](double x, double y) { return kPower * spot.flux(x, y); });
            INFO("flux at the centre " << centre.traced << " +- " << centre.error << ", expected "
                                       << centre.expected);
            CHECK(std::abs(centre.traced - centre.expected) <
                  4.0 * centre.error + kFiniteMirror * centre.expected);
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
    const FluxAt uniform = [&](double, double) { return expected; };
    const CentreFlux centre = centre_flux(scene, sums, 2.0, uniform);
    CHECK(std::abs(centre.traced - expected) < 4.0 * centre.error + 1e-4 * expected);
    CHECK(centre_flux(scene, sums, 2.2, uniform).traced == Approx(expected).epsilon(3e-3));
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
