// SPDX-License-Identifier: MIT
// Standard errors are true: many seeds scatter as one seed says.
#include "tests/kernels/scene.h"
#include "tests/support/catch2.h"

#include <cmath>
#include <vector>

using namespace helioray::kernels;
using helioray::test::Scene;
using helioray::test::Sums;

namespace {

struct Scatter {
    double power_variance = 0.0;  ///< observed between seeds
    double power_estimate = 0.0;  ///< mean of the estimates
    double pixel_ratio = 0.0;     ///< observed / estimated variance, over all bright pixels
    /// Observed variance of squares of 4 x 4 pixels / mean square of their differences.
    double square_ratio = 0.0;
    double correlation = 0.0;  ///< between squares of the flux and of the differences
};

/// Sum over the square of 4 x 4 pixels at `first`, in rays.
double square_sum(const std::vector<int64_t>& map, size_t first, int32_t width) {
    int64_t sum = 0;
    for (size_t p = 0; p < 16; ++p) sum += map[first + p / 4 * static_cast<size_t>(width) + p % 4];
    return static_cast<double>(sum) / Scene::kQuanta;
}

Scatter scatter(SamplingKind sampling, bool collimated, int num_seeds) {
    std::vector<Sums> runs;
    Scene scene = helioray::test::paraboloid_scene();
    scene.sun = collimated ? AngularShape{AngularShape::Kind::none, 0.0f}
                           : AngularShape{AngularShape::Kind::pillbox, 4.65e-3f};
    scene.slope_error = {AngularShape::Kind::gaussian, 2e-3f};
    scene.sampling = sampling;
    scene.width = scene.height = 16;
    for (int seed = 0; seed < num_seeds; ++seed) {
        scene.seed = static_cast<uint64_t>(seed) + 1;
        scene.plan(16, 1000);
        runs.push_back(scene.trace());
    }
    const auto n = static_cast<double>(num_seeds);
    Scatter result;
    double sum = 0.0, square = 0.0;
    for (const Sums& run : runs) {
        const auto power = static_cast<double>(run.energy[kDeliveredSum]) / Scene::kQuanta;
        sum += power;
        square += power * power;
        result.power_estimate += static_cast<double>(run.power_square[0]) / Scene::kSquareScale /
                                 (Scene::kQuanta * Scene::kQuanta) / n;
    }
    result.power_variance = (square - sum * sum / n) / (n - 1.0);
    double observed = 0.0, estimated = 0.0;
    for (size_t p = 0; p < runs[0].flux.size(); ++p) {
        double s = 0.0, s2 = 0.0, e = 0.0;
        for (const Sums& run : runs) {
            const auto x = static_cast<double>(run.flux[p]) / Scene::kQuanta;
            s += x;
            s2 += x * x;
            e += static_cast<double>(run.flux_square[p]) / Scene::kSquareScale /
                 (Scene::kQuanta * Scene::kQuanta) / n;
        }
        if (s / n < 20.0) continue;
        observed += (s2 - s * s / n) / (n - 1.0);
        estimated += e;
    }
    result.pixel_ratio = observed / estimated;

    double of_flux = 0.0, of_differences = 0.0, of_both = 0.0;
    for (size_t row = 0; row < 16; row += 4) {
        for (size_t column = 0; column < 16; column += 4) {
            const size_t first = row * 16 + column;
            double mean = 0.0;
            for (const Sums& run : runs) mean += square_sum(run.flux, first, 16) / n;
            for (const Sums& run : runs) {
                const double x = square_sum(run.flux, first, 16) - mean;
                const double d = square_sum(run.flux_difference, first, 16);
                of_flux += x * x * n / (n - 1.0);
                of_differences += d * d;
                of_both += x * d;
            }
        }
    }
    result.square_ratio = of_flux / of_differences;
    result.correlation = of_both / std::sqrt(of_flux * of_differences);
    return result;
}

}  // namespace

TEST_CASE("random sampling: the scatter of 30 seeds matches the standard errors") {
    for (const bool collimated : {false, true}) {
        const Scatter s = scatter(SamplingKind::random, collimated, 30);
        // Chi-square with 29 degrees of freedom: 99.9 % of ratios lie within 0.44 and 2.0 (the
        // estimate adds a little).
        INFO("power " << s.power_variance << " against " << s.power_estimate << ", pixels "
                      << s.pixel_ratio);
        CHECK(s.power_variance / s.power_estimate > 0.44);
        CHECK(s.power_variance / s.power_estimate < 2.0);
        // Many pixels average out.
        CHECK(s.pixel_ratio == Approx(1.0).epsilon(0.15));
        CHECK(s.square_ratio == Approx(1.0).epsilon(0.25));
        CHECK(std::abs(s.correlation) < 0.2);
    }
}

TEST_CASE("Sobol sampling: errors are honest and smaller") {
    const Scatter random = scatter(SamplingKind::random, false, 30);
    const Scatter sobol = scatter(SamplingKind::sobol, false, 30);
    INFO("power variance " << sobol.power_variance << " estimated " << sobol.power_estimate
                           << ", random " << random.power_variance << ", pixels "
                           << sobol.pixel_ratio);
    CHECK(sobol.power_variance / sobol.power_estimate > 0.44);
    CHECK(sobol.power_variance / sobol.power_estimate < 2.0);
    CHECK(sobol.pixel_ratio == Approx(1.0).epsilon(0.15));
    // Squares are less noisy than independent pixels; the differences show it.
    CHECK(sobol.square_ratio == Approx(1.0).epsilon(0.25));
    CHECK(std::abs(sobol.correlation) < 0.2);
    CHECK(sobol.power_variance < 0.8 * random.power_variance);
}
