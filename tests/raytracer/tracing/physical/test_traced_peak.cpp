// SPDX-License-Identifier: MIT
// The peaks of traced spots are right within their stated errors. Plateaus and narrow ridges are
// less certain: raytracer/results/README.md has the figures of scripts/studies/peak_flux.py.
#include "app/validation/scene.h"
#include "tests/raytracer/tracing/physical/run.h"
#include "tests/support/catch2.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>

using namespace helioray;
using namespace helioray::validation;

namespace {

constexpr int kSeeds = 60;

TargetResult trace(Scene& scene, int64_t rays, uint64_t seed) {
    scene.config.tracing.rays_per_heliostat = rays;
    scene.config.tracing.seed = seed;
    return helioray::test::run(scene).targets.at(0);
}

/// Returns the largest pixel without noise: each of two long runs chooses the pixel that the other
/// one measures.
double true_peak(Scene& scene) {
    const std::array runs{trace(scene, 4'000'000, 1'000), trace(scene, 4'000'000, 1'001)};
    double peak = 0.0;
    for (size_t run = 0; run < 2; ++run) {
        const auto& chosen = runs[run].flux;
        const auto place = std::max_element(chosen.begin(), chosen.end()) - chosen.begin();
        peak += runs[1 - run].flux[static_cast<size_t>(place)] / 2.0;
    }
    return peak;
}

}  // namespace

TEST_CASE("Peaks of traced spots are right within their stated errors") {
    struct Case {
        const char* name;
        Scene scene;
        int64_t rays;
    };
    const SunAngles sun = sun_at(180.0, 30.0);
    const std::vector<Mirror> mirrors{{.position = {-150.0, 40.0, 0.0}},
                                      {.position = {0.0, 60.0, 0.0}, .width = 6.0},
                                      {.position = {120.0, -30.0, 0.0}, .focal_length = 300.0}};
    const auto several = [&] {
        return make_scene(
            mirrors, overhead_target(), sun, PillboxShape{4.65 * kMrad}, GaussianShape{kMrad});
    };
    std::vector<Case> cases{
        {"one mirror", on_axis_scene(GaussianShape{2.09 * kMrad}, GaussianShape{kMrad}), 10'000},
        {"three mirrors", several(), 20'000},
        {"three mirrors, random sampling", several(), 5'000}};
    cases.back().scene.config.tracing.sampling = Sampling::random;
    for (Case& one : cases) {
        CAPTURE(one.name);
        one.scene.config.bitmap.width = one.scene.config.bitmap.height = 48;
        const double truth = true_peak(one.scene);
        double bias = 0.0, error = 0.0, within = 0.0;
        for (int seed = 1; seed <= kSeeds; ++seed) {
            const TargetResult map = trace(one.scene, one.rays, static_cast<uint64_t>(seed));
            bias += (map.peak_flux_w_m2 - truth) / kSeeds;
            error += map.peak_flux_std_error_w_m2 / kSeeds;
            if (std::abs(map.peak_flux_w_m2 - truth) < map.peak_flux_std_error_w_m2)
                within += 1.0 / kSeeds;
        }
        // 60 runs give the bias with an uncertainty of 0.13 errors and the fraction with 0.06.
        CAPTURE(truth, bias / error, error / truth, within);
        CHECK(std::abs(bias) < (0.33 + 2.0 * 0.13) * error);
        CHECK(within > 0.60 - 2.0 * 0.06);
        CHECK(within < 0.76 + 2.0 * 0.06);
        CHECK(error < 0.2 * truth);
    }
}
