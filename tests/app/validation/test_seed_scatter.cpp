// SPDX-License-Identifier: MIT
// Reported standard errors are true: 30 seeds scatter as each of them says.
#include "app/validation/published_field.h"
#include "app/validation/speed_fields.h"
#include "tests/app/validation/validation_support.h"

#include <cmath>

using namespace helioray;

namespace {

constexpr int kSeeds = 30;

struct Scatter {
    double mean = 0.0;      ///< W
    double observed = 0.0;  ///< variance between seeds
    double reported = 0.0;  ///< mean of the reported variances

    double ratio() const { return observed / reported; }
};

Scatter scatter(const validation::Scene& original, Sampling sampling, int64_t rays) {
    validation::Scene scene = original;
    scene.config.tracing.sampling = sampling;
    scene.config.bitmap.width = scene.config.bitmap.height = 8;
    std::vector<double> powers;
    Scatter result;
    for (uint64_t seed = 1; seed <= kSeeds; ++seed) {
        const RunResult run = validation::trace_scene(scene, rays, seed, test::two_threads());
        const TargetResult& target = run.targets.front();
        powers.push_back(target.power_w);
        result.mean += target.power_w / kSeeds;
        result.reported += target.power_std_error_w * target.power_std_error_w / kSeeds;
    }
    for (const double power : powers)
        result.observed += (power - result.mean) * (power - result.mean) / (kSeeds - 1);
    return result;
}

// Chi-square of 29 degrees of freedom over 29, 99.9 % of the probability between, widened by the
// scatter of the reported variances (at least four pairs of blocks for each of the 30 seeds).
constexpr double kLeast = 0.33, kMost = 2.4;

void check_scatter(const validation::Scene& scene, int64_t rays) {
    const Scatter random = scatter(scene, Sampling::random, rays);
    INFO("random: observed " << random.observed << ", reported " << random.reported);
    CHECK(random.ratio() > kLeast);
    CHECK(random.ratio() < kMost);
    const Scatter sobol = scatter(scene, Sampling::sobol, rays);
    INFO("Sobol: observed " << sobol.observed << ", reported " << sobol.reported);
    CHECK(sobol.ratio() < kMost);
    CHECK(sobol.observed < random.observed);
    // Both kinds of sampling mean the same power.
    const double error = std::sqrt((random.observed + sobol.observed) / kSeeds);
    CHECK(std::abs(random.mean - sobol.mean) < 4.0 * error);
}

}  // namespace

TEST_CASE("Scatter of seeds: one mirror, a tenth of the power spilled") {
    const validation::Scene scene =
        validation::on_axis_scene(CollimatedShape{}, GaussianShape{2.0 * validation::kMrad});
    check_scatter(scene, 20'000);
    // Random sampling has the variance of counting: p (1 - p) / n.
    const double p = 0.91107;
    const Scatter random = scatter(scene, Sampling::random, 20'000);
    CHECK(random.reported == Approx(1e10 * p * (1.0 - p) / 20'000).epsilon(0.45));
}

TEST_CASE("Scatter of seeds: far heliostat, a third of the power spilled") {
    check_scatter(validation::published_scene({{0.0, 536.9, 0.0}},
                                              validation::published_noon(),
                                              PillboxShape{4.65 * validation::kMrad}),
                  20'000);
}

TEST_CASE("Scatter of seeds: a field with shading and blocking") {
    check_scatter(validation::small_fields().back().scene, 57 * 800);
}
