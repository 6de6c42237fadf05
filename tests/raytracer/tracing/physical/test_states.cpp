// SPDX-License-Identifier: MIT
// States of single heliostats: powers, errors and pointing that each of them has alone.
#include "scenario/files/error.h"
#include "tests/raytracer/tracing/physical/run.h"
#include "tests/support/catch2.h"

#include <cmath>
#include <cstdint>

using namespace helioray;
using namespace helioray::test;
using validation::kMrad;
using validation::Scene;

namespace {

constexpr int64_t kRaysOfStates = 1 << 16;

/// Three mirrors 500 m below their target, with every error and light from the side.
Scene three_mirrors() {
    Scene scene =
        validation::make_scene({{{0.0, 0.0, 0.0}}, {{15.0, 0.0, 0.0}}, {{0.0, 15.0, 0.0}}},
                               validation::overhead_target(),
                               validation::sun_at(180.0, 30.0),
                               PillboxShape{4.65 * kMrad},
                               GaussianShape{1.0 * kMrad});
    scene.config.optics.reflectivity = 0.9;
    scene.config.tracing.rays_per_heliostat = kRaysOfStates;
    scene.config.output.per_heliostat = true;
    return scene;
}

MirrorState& state_of(Scene& scene, size_t heliostat, int64_t from = INT64_MIN) {
    return scene.config.state.rows[validation::mirror_name(heliostat)][from];
}

/// Mean position of a heliostat's light on the target in pixels, [column, row].
std::array<double, 2> centroid(const HeliostatResult& heliostat, int64_t width) {
    double sum = 0.0, column = 0.0, row = 0.0;
    for (size_t p = 0; p < heliostat.flux.size(); ++p) {
        const auto i = static_cast<int64_t>(p);
        sum += static_cast<double>(heliostat.flux[p]);
        column += static_cast<double>(heliostat.flux[p]) * static_cast<double>(i % width);
        row += static_cast<double>(heliostat.flux[p]) * static_cast<double>(i / width);
    }
    return {column / sum, row / sum};
}

}  // namespace

TEST_CASE("powers are proportional to the reflectivity and soiling of each heliostat") {
    Scene scene = three_mirrors();
    const RunResult clean = run(scene);
    state_of(scene, 0).reflectivity = 0.45;
    state_of(scene, 1).soiling = 0.25;
    state_of(scene, 2).reflectivity = 0.0;
    const RunResult dirty = run(scene);
    const double factors[] = {0.5, 0.75, 0.0};
    for (size_t i = 0; i < 3; ++i) {
        INFO(i);
        const EnergyTerms& before = clean.heliostats[i].energy;
        const EnergyTerms& after = dirty.heliostats[i].energy;
        CHECK(dirty.heliostats[i].reflectivity == Approx(0.9 * factors[i]));
        CHECK(after.cosine_loss == before.cosine_loss);
        // A ray's quanta are rounded to whole numbers of some millions.
        const double rounding = 1e-6 * before.solar_power;
        CHECK(after.target_power == Approx(factors[i] * before.target_power).margin(rounding));
        CHECK(after.spillage_loss == Approx(factors[i] * before.spillage_loss).margin(rounding));
        CHECK(std::abs(imbalance(after)) < 1e-12);
    }
    CHECK(dirty.heliostats[2].energy.target_power == 0.0);
}

TEST_CASE("errors of each heliostat are those of runs in which all have them") {
    Scene scene = three_mirrors();
    const double slopes[] = {0.0, 2.0 * kMrad, 3.0 * kMrad};
    const double specularities[] = {1.0 * kMrad, 0.5 * kMrad, 2.0 * kMrad};
    for (size_t i = 0; i < 3; ++i) {
        state_of(scene, i).slope_error = slopes[i];
        state_of(scene, i).specularity_error = specularities[i];
    }
    const RunResult together = run(scene);
    for (size_t i = 0; i < 3; ++i) {
        INFO(i);
        Scene alone = three_mirrors();
        alone.config.optics.slope_error = GaussianShape{slopes[i]};
        alone.config.optics.specularity_error = GaussianShape{specularities[i]};
        const RunResult result = run(alone);
        CHECK(result.heliostats[i].flux == together.heliostats[i].flux);
        CHECK(result.heliostats[i].energy.target_power ==
              together.heliostats[i].energy.target_power);
    }
}

TEST_CASE("a table that repeats the field's values gives the same bits") {
    Scene scene = three_mirrors();
    scene.config.optics.specularity_error = GaussianShape{0.5 * kMrad};
    scene.config.tracing.shading = scene.config.tracing.blocking = true;
    const RunResult plain = run(scene);
    MirrorState& all = scene.config.state.rows[""][INT64_MIN];
    all.reflectivity = 0.9;
    all.soiling = 0.0;
    all.slope_error = 1.0 * kMrad;
    all.specularity_error = 0.5 * kMrad;
    all.tracking_bias = {0.0, 0.0};
    all.tracking_error = 0.0;
    all.available = true;
    all.dni_share = 1.0;
    const RunResult same = run(scene);
    CHECK(same.targets[0].flux == plain.targets[0].flux);
    CHECK(same.targets[0].peak_flux_std_error_w_m2 == plain.targets[0].peak_flux_std_error_w_m2);

    // Widths of 0 for all heliostats are no errors at all.
    scene.config.state.rows.clear();
    scene.config.optics.slope_error = scene.config.optics.specularity_error = NoError{};
    const RunResult exact = run(scene);
    scene.config.optics.slope_error = GaussianShape{1.0 * kMrad};
    scene.config.state.rows[""][INT64_MIN].slope_error = 0.0;
    scene.config.state.rows[""][INT64_MIN].specularity_error = 0.0;
    CHECK(run(scene).targets[0].flux == exact.targets[0].flux);
}

TEST_CASE("a bias of the drive moves the spot by twice the angle times the distance") {
    Scene scene = validation::on_axis_scene(PillboxShape{1.0 * kMrad}, NoError{});
    scene.config.tracing.rays_per_heliostat = kRaysOfStates;
    scene.config.output.per_heliostat = true;
    const auto before = centroid(run(scene).heliostats[0], 100);
    constexpr double kBias = 1.5e-3;
    state_of(scene, 0).tracking_bias[1] = kBias;
    const auto after = centroid(run(scene).heliostats[0], 100);
    const double metres = std::hypot(after[0] - before[0], after[1] - before[1]) * 8.0 / 100.0;
    CHECK(metres == Approx(500.0 * std::tan(2.0 * kBias)).epsilon(2e-3));
}

TEST_CASE("tracking errors have the width of each heliostat and the draws of the field") {
    Scene scene = validation::on_axis_scene(PillboxShape{1.0 * kMrad}, NoError{});
    scene.config.tracing.rays_per_heliostat = 1 << 12;
    scene.config.optics.tracking_error = 1.0 * kMrad;
    const RunResult common = run(scene);
    scene.config.optics.tracking_error = 0.0;
    state_of(scene, 0).tracking_error = 1.0 * kMrad;
    const RunResult own = run(scene);
    CHECK(own.heliostats[0].orientation == common.heliostats[0].orientation);
    CHECK(own.targets[0].flux == common.targets[0].flux);
}

TEST_CASE("a share of the irradiance dims a heliostat") {
    Scene scene = three_mirrors();
    const RunResult bright = run(scene);
    state_of(scene, 1).dni_share = 0.5;
    const RunResult dim = run(scene);
    CHECK(dim.heliostats[0].energy.solar_power == bright.heliostats[0].energy.solar_power);
    CHECK(dim.heliostats[1].energy.solar_power ==
          Approx(0.5 * bright.heliostats[1].energy.solar_power));
    CHECK(dim.heliostats[1].energy.target_power ==
          Approx(0.5 * bright.heliostats[1].energy.target_power).epsilon(1e-5));
}

TEST_CASE("rows apply from their time on") {
    Scene scene = three_mirrors();
    const RunResult plain = run(scene);
    const int64_t noon = 1782036000000;  // 2026-06-21T10:00:00Z
    state_of(scene, 0, noon).reflectivity = 0.45;
    state_of(scene, 0, noon + 3'600'000).reflectivity = 0.09;
    CHECK_THROWS_AS(run(scene), InputError);  // The sun has no time.
    const auto power_at = [&](const char* time) {
        SunAngles sun = std::get<SunAngles>(scene.config.sun.position);
        sun.iso8601 = time;
        scene.config.sun.position = sun;
        return run(scene).heliostats[0].energy.target_power /
               plain.heliostats[0].energy.target_power;
    };
    CHECK_THROWS_AS(power_at("2026-06-21T11:59:59+02:00"), InputError);
    CHECK(power_at("2026-06-21T12:00:00+02:00") == Approx(0.5).epsilon(1e-5));
    CHECK(power_at("2026-06-21T12:59:59+02:00") == Approx(0.5).epsilon(1e-5));
    CHECK(power_at("2026-06-21T13:00:00+02:00") == Approx(0.1).epsilon(1e-5));
    // A row for all heliostats before the first row of one of them.
    scene.config.state.rows[""][INT64_MIN].reflectivity = 0.18;
    CHECK(power_at("2026-06-21T11:59:59+02:00") == Approx(0.2).epsilon(1e-5));
    CHECK(power_at("2026-06-21T12:00:00+02:00") == Approx(0.5).epsilon(1e-5));
}
