// SPDX-License-Identifier: MIT
// Specularity, attenuation and sun shapes in whole runs, against closed forms.
#include "scenario/files/units.h"
#include "scenario/sun/attenuation.h"
#include "scenario/types/vector_math.h"
#include "tests/raytracer/tracing/physical/run.h"
#include "tests/support/catch2.h"

#include <numbers>

using namespace helioray;
using namespace helioray::test;
using namespace helioray::validation;

namespace {

constexpr int64_t kRaysOfLosses = 1'000'000;

RunResult run_on_axis(const SunShape& sun, const ErrorShape& specularity) {
    Scene scene = on_axis_scene(sun, NoError{});
    scene.config.optics.specularity_error = specularity;
    scene.config.tracing.rays_per_heliostat = kRaysOfLosses;
    scene.config.tracing.sampling = Sampling::random;
    return run(scene);
}

/// Share of a Gaussian of standard deviation s (metres) on the 8 m x 8 m target.
double on_square(double s) {
    return std::pow(std::erf(4.0 / (std::sqrt(2.0) * s)), 2);
}

}  // namespace

TEST_CASE("a Gaussian specularity error widens the reflected beam by itself, not by twice") {
    // 500 m away, 4 mrad about each axis are 2 m.
    const TargetResult target = run_on_axis(CollimatedShape{}, GaussianShape{4e-3}).targets[0];
    CHECK(std::abs(target.power_w - 1e5 * on_square(2.0)) <
          4.0 * target.power_std_error_w + 1e5 * 1e-4);
}

TEST_CASE("specularity and sun add in squares") {
    const TargetResult target = run_on_axis(GaussianShape{3e-3}, GaussianShape{4e-3}).targets[0];
    CHECK(std::abs(target.power_w - 1e5 * on_square(2.5)) <
          4.0 * target.power_std_error_w + 1e5 * 1e-4);
}

TEST_CASE("a pillbox specularity error makes a uniform disc") {
    const TargetResult target = run_on_axis(CollimatedShape{}, PillboxShape{4e-3}).targets[0];
    CHECK(target.power_w == Approx(1e5).epsilon(1e-6));
    double inside = 0.0;
    for (int64_t row = 40; row < 60; ++row)
        for (int64_t column = 40; column < 60; ++column)
            inside += target.flux[static_cast<size_t>(row * 100 + column)] / 400.0;
    CHECK(inside == Approx(1e5 / (4.0 * std::numbers::pi)).epsilon(0.01));
}

TEST_CASE("sobol and random sampling agree with specularity on") {
    for (const Sampling sampling : {Sampling::sobol, Sampling::random}) {
        Scene scene = on_axis_scene(GaussianShape{3e-3}, GaussianShape{1e-3});
        scene.config.optics.specularity_error = GaussianShape{2e-3};
        scene.config.tracing.rays_per_heliostat = kRaysOfLosses;
        scene.config.tracing.sampling = sampling;
        const TargetResult target = run(scene).targets[0];
        const double s = 0.5 * std::sqrt(9.0 + 4.0 + 4.0);
        CHECK(std::abs(target.power_w - 1e5 * on_square(s)) <
              4.0 * target.power_std_error_w + 1e5 * 1e-4);
    }
}

TEST_CASE("the air takes its share of hits and misses alike") {
    using Model = AttenuationConfig::Model;
    const AttenuationConfig models[] = {{Model::mirval},
                                        {Model::vittitoe_biggs_clear},
                                        {Model::vittitoe_biggs_hazy},
                                        {Model::exponential, 0.4},
                                        {Model::polynomial, 0.0, {0.99, -0.1, 0.01, 0.0, 0.0}}};
    for (const AttenuationConfig& model : models) {
        Scene scene = on_axis_scene(GaussianShape{4e-3}, NoError{});
        scene.config.optics.attenuation = model;
        scene.config.tracing.rays_per_heliostat = 200'000;
        const EnergyTerms e = run(scene).heliostats[0].energy;
        const double through = transmittance(model, 500.0);
        CAPTURE(static_cast<int>(model.model), through);
        const double before = e.attenuation_loss + e.spillage_loss + e.target_power;
        // Slant ranges differ from 500 m by less than 0.1 m.
        CHECK(e.attenuation_loss / before == Approx(1.0 - through).epsilon(1e-3));
        CHECK(e.target_power / before == Approx(through * on_square(2.0)).epsilon(5e-3));
        CHECK(std::abs(imbalance(e)) < 1e-12);
    }
}

TEST_CASE("far away the record's exponential takes over") {
    Scene scene = make_scene({Mirror{}},
                             {{0.0, 0.0, 1500.0}, {0.0, 0.0, -1.0}, 60.0, 60.0},
                             sun_at(180.0, 0.0),
                             CollimatedShape{},
                             NoError{});
    scene.config.optics.attenuation = {AttenuationConfig::Model::mirval};
    scene.config.tracing.rays_per_heliostat = 10'000;
    const EnergyTerms e = run(scene).heliostats[0].energy;
    CHECK(e.target_power / (e.target_power + e.attenuation_loss) ==
          Approx(std::exp(-0.1106 * 1.5)).epsilon(1e-4));
}

namespace {

/// Reflected part of the light that reaches the mirrors.
double reflected_part(const EnergyTerms& e) {
    return 1.0 - e.reflection_loss / (e.solar_power - e.cosine_loss);
}

}  // namespace

TEST_CASE("a flat mirror reflects what the table has at its angle of incidence") {
    const std::vector<AngleValue> table{{10.0 * kRadiansPerDegree, 1.0},
                                        {40.0 * kRadiansPerDegree, 0.95},
                                        {60.0 * kRadiansPerDegree, 0.8},
                                        {80.0 * kRadiansPerDegree, 0.3}};
    // Light comes at 2 a from the direction to the target above the mirror.
    for (const double angle : {0.0, 7.0, 10.0, 25.0, 40.0, 43.0}) {
        Scene scene = make_scene({{{0, 0, 0}, 1.0, 1.0, FacetShape::flat}},
                                 overhead_target(),
                                 sun_at(180.0, 2.0 * angle),
                                 CollimatedShape{},
                                 NoError{});
        scene.config.optics.reflectivity = 0.9;
        scene.config.optics.reflectivity_by_angle = table;
        scene.config.tracing.rays_per_heliostat = 100'000;
        const EnergyTerms e = run(scene).heliostats[0].energy;
        CAPTURE(angle);
        CHECK(reflected_part(e) ==
              Approx(0.9 * value_at(table, angle * kRadiansPerDegree)).epsilon(4e-4));
        CHECK(std::abs(imbalance(e)) < 1e-12);
    }
}

TEST_CASE("a round dish reflects the integral of the table over its angles of incidence") {
    // On the axis of a paraboloid, light at the radius r has the angle of incidence atan(r / 2 f).
    constexpr double kFocus = 4.0, kRadius = 6.0;
    const std::vector<AngleValue> table{{0.0, 1.0}, {0.3, 0.97}, {0.5, 0.6}, {0.7, 0.5}};
    Scene scene =
        make_scene({{{0, 0, 0}, 2.0 * kRadius, 2.0 * kRadius, FacetShape::paraboloid, kFocus}},
                   {{0, 0, kFocus}, {0, 0, -1}, 1.0, 1.0},
                   sun_at(180.0, 0.0),
                   CollimatedShape{},
                   NoError{});
    Surface dish = *scene.scenario.heliostats[0].surface;
    dish.facets[0].outline.kind = FacetOutlineKind::round;
    scene.scenario.heliostats[0].surface = std::make_shared<const Surface>(dish);
    scene.config.optics.reflectivity = 0.95;
    scene.config.optics.reflectivity_by_angle = table;
    scene.config.tracing.rays_per_heliostat = 2'000'000;
    const EnergyTerms e = run(scene).heliostats[0].energy;
    double mean = 0.0;
    constexpr int kSteps = 20000;
    for (int i = 0; i < kSteps; ++i) {
        const double r = kRadius * std::sqrt((i + 0.5) / kSteps);
        mean += value_at(table, std::atan(r / (2.0 * kFocus))) / kSteps;
    }
    CHECK(reflected_part(e) == Approx(0.95 * mean).epsilon(3e-4));
    CHECK(e.solar_power - e.cosine_loss ==
          Approx(1000.0 * std::numbers::pi * kRadius * kRadius).epsilon(3e-4));
    CHECK(std::abs(imbalance(e)) < 1e-12);
}
