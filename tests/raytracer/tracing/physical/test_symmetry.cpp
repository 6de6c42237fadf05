// SPDX-License-Identifier: MIT
// Turning or mirroring a whole scene turns or mirrors its result.
#include "scenario/files/units.h"
#include "scenario/types/vector_math.h"
#include "tests/raytracer/tracing/physical/run.h"
#include "tests/support/catch2.h"

using namespace helioray;
using namespace helioray::test;
using namespace helioray::validation;

namespace {

/// Uneven group of heliostats that shade and block each other.
std::vector<Vec3> positions() {
    std::vector<Vec3> result;
    for (int i = 0; i < 12; ++i)
        result.push_back({-25.0 + 11.0 * (i % 4) + 0.3 * i, 60.0 + 9.0 * (i / 4), 0.4 * (i % 3)});
    return result;
}

struct View {
    double turn_deg = 0.0;  ///< clockwise
    bool mirrored = false;  ///< east and west change places

    Vec3 apply(Vec3 p) const {
        if (mirrored) p[0] = -p[0];
        const double a = turn_deg * kRadiansPerDegree;
        return {std::cos(a) * p[0] + std::sin(a) * p[1],
                -std::sin(a) * p[0] + std::cos(a) * p[1],
                p[2]};
    }
};

RunResult run_view(const View& view) {
    std::vector<Mirror> mirrors;
    for (const Vec3& p : positions()) mirrors.push_back({view.apply(p), 8.0, 7.0});
    const double azimuth = view.mirrored ? 360.0 - 215.0 : 215.0;
    Scene scene = make_scene(mirrors,
                             {view.apply({2, 0, 40}), view.apply({0.3, 1, -0.2}), 5.0, 4.0},
                             sun_at(azimuth + view.turn_deg, 65.0),
                             PillboxShape{4.65e-3},
                             GaussianShape{1.5e-3});
    auto& plane = std::get<PlanarTarget>(scene.scenario.targets[0].geometry);
    plane.normal = normalized(plane.normal);
    scene.config.tracing.shading = scene.config.tracing.blocking = true;
    scene.config.tracing.rays_per_heliostat = 200'000;
    scene.config.bitmap.width = 10;
    scene.config.bitmap.height = 8;
    return run(scene);
}

}  // namespace

TEST_CASE("a turned scene has the same scalars") {
    const RunResult reference = run_view({});
    CHECK(reference.heliostats[5].energy.blocking_loss +
              reference.heliostats[5].energy.shading_loss >
          100.0);
    for (const double turn : {37.0, 180.0, 271.0}) {
        const RunResult turned = run_view({turn, false});
        for (size_t i = 0; i < reference.heliostats.size(); ++i) {
            for (const EnergyTermInfo& term : energy_term_infos()) {
                const double expected = reference.heliostats[i].energy.*term.member;
                const double found = turned.heliostats[i].energy.*term.member;
                CAPTURE(turn, i, term.name);
                // Rays on an edge may fall to either side: a few of 200,000.
                CHECK(std::abs(found - expected) <
                      2e-5 * reference.heliostats[i].energy.solar_power);
            }
        }
        CHECK(turned.targets[0].power_w == Approx(reference.targets[0].power_w).epsilon(1e-5));
        CHECK(turned.targets[0].peak_flux_w_m2 ==
              Approx(reference.targets[0].peak_flux_w_m2).epsilon(1e-3));
    }
}

TEST_CASE("a mirrored scene has the mirrored map") {
    const TargetResult reference = run_view({}).targets[0];
    const TargetResult mirrored = run_view({0.0, true}).targets[0];
    CHECK(std::abs(mirrored.power_w - reference.power_w) <
          4.0 * std::hypot(mirrored.power_std_error_w, reference.power_std_error_w));
    double chi_square = 0.0;
    double asymmetry = 0.0;
    int lit = 0;
    for (int64_t row = 0; row < reference.height; ++row) {
        for (int64_t column = 0; column < reference.width; ++column) {
            const auto a = static_cast<size_t>(row * reference.width + column);
            const auto b =
                static_cast<size_t>(row * reference.width + reference.width - 1 - column);
            const double error =
                std::hypot(reference.flux_std_error[a], mirrored.flux_std_error[b]);
            if (error == 0.0) continue;  // dark
            ++lit;
            chi_square += std::pow((reference.flux[a] - mirrored.flux[b]) / error, 2);
            asymmetry += std::pow((reference.flux[a] - reference.flux[b]) / error, 2);
        }
    }
    CHECK(lit > 40);
    // Errors come from a handful of replicates: the tails are long, but not thousands.
    CHECK(chi_square < 2.0 * lit);
    // The map itself is not symmetric: the check above could fail.
    CHECK(asymmetry > 1000.0);
}
