// SPDX-License-Identifier: MIT
// Absorption and reflection on surfaces of receivers, against closed forms: two specular panels,
// view factors, diffuse cavities.
#include "tests/raytracer/tracing/physical/records/receiver_beam.h"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <numbers>

using namespace helioray;
using namespace helioray::test;
using namespace helioray::validation;

namespace {

constexpr int64_t kReflectedRays = 1'000'000;

SurfaceAbsorption gray(double absorptance, double specular_fraction, int64_t bounces) {
    SurfaceAbsorption surface;
    surface.absorptance = absorptance;
    surface.specular_fraction = specular_fraction;
    surface.bounces = bounces;
    return surface;
}

Target surface(const std::string& name,
               const TargetShape& shape,
               const std::optional<SurfaceAbsorption>& absorption) {
    return {name, shape, "tower", SurfaceUse::absorber, {}, absorption};
}

double on_receiver(const EnergyTerms& e) {
    return e.target_power + e.escape_loss + e.reflected_shield_loss + e.bounce_limit_loss +
           e.shield_loss;
}

/// Checks that terms and maps add up exactly.
EnergyTerms balanced(const RunResult& result) {
    const EnergyTerms total = total_energy(result);
    CHECK(std::abs(imbalance(total)) < 1e-12);
    double absorbed = 0.0;
    double incident = 0.0;
    for (const TargetResult& target : result.targets) {
        if (target.target.use != SurfaceUse::absorber) continue;
        absorbed += target.power_w;
        incident += target.incident ? target.incident->power_w : target.power_w;
    }
    CHECK(absorbed == Approx(total.target_power).epsilon(1e-9));
    CHECK(incident >= absorbed * (1.0 - 1e-12));
    return total;
}

}  // namespace

TEST_CASE("two specular panels at a right angle absorb what a closed form says") {
    // The bisector points south; the panels end where the beam is as wide as the opening.
    constexpr double kSize = 2.0;
    const double half = kSize / std::numbers::sqrt2 * 0.5;
    for (const double r : {0.3, 0.5, 0.8}) {
        for (const double degrees : {0.0, 10.0, 25.0}) {
            const double d = degrees * std::numbers::pi / 180.0;
            // Turn the receiver instead of the light.
            const auto turned = [&](double x, double y) -> Vec3 {
                return {x * std::cos(d) - y * std::sin(d), x * std::sin(d) + y * std::cos(d), 0};
            };
            const double s = std::numbers::sqrt2 / 2.0;
            Scene scene =
                beam({surface("left",
                              PlanarTarget{turned(-half, -half), turned(s, -s), kSize, 40.0},
                              gray(1.0 - r, 1.0, 5)),
                      surface("right",
                              PlanarTarget{turned(half, -half), turned(-s, -s), kSize, 40.0},
                              gray(1.0 - r, 1.0, 5))},
                     kReflectedRays);
            scene.config.bitmap.width = scene.config.bitmap.height = 32;
            const EnergyTerms e = balanced(run(scene));
            const double tangent = std::tan(d);
            const double expected = 1.0 - r * tangent - r * r * (1.0 - tangent);
            const double lit = on_receiver(e);
            CHECK(std::abs(e.target_power / lit - expected) <
                  four_errors(0.5, kReflectedRays * lit / e.solar_power));
            CHECK(e.bounce_limit_loss == 0.0);
            CHECK(e.reflected_shield_loss == 0.0);
        }
    }
}

TEST_CASE("diffuse light of a cube's face follows the view factors") {
    // The beam falls on a white floor through a hole that is the open front side.
    std::vector<Target> faces;
    const auto face = [&](const std::string& name, const Vec3& normal, double absorptance) {
        faces.push_back(surface(
            name,
            PlanarTarget{{-0.5 * normal[0], -0.5 * normal[1], -0.5 * normal[2]}, normal, 1.0, 1.0},
            gray(absorptance, 0.0, absorptance < 1.0 ? 1 : 0)));
    };
    face("back", {0, -1, 0}, 0.0);
    face("left", {1, 0, 0}, 1.0);
    face("right", {-1, 0, 0}, 1.0);
    face("floor", {0, 0, 1}, 1.0);
    face("ceiling", {0, 0, -1}, 1.0);
    Scene scene = beam(faces, kReflectedRays, 1.0);
    scene.config.bitmap.width = scene.config.bitmap.height = 32;
    const RunResult result = run(scene);
    const EnergyTerms e = balanced(result);
    const double lit = on_receiver(e);
    const auto close = [&](double part, double expected) {
        INFO(part << " " << expected);
        return std::abs(part - expected) <
               four_errors(expected, kReflectedRays * lit / e.solar_power);
    };
    // The beam covers all of the back.
    CHECK(close(e.escape_loss / lit, 0.19982490));
    for (const char* name : {"left", "right", "floor", "ceiling"})
        CHECK(close(find_target(result, name)->power_w / lit, 0.20004378));
    CHECK(e.reflected_shield_loss < 1e-6 * lit);
    CHECK(find_target(result, "back")->power_w == 0.0);
    CHECK(find_target(result, "back")->incident->power_w == Approx(lit).epsilon(1e-9));
}
