// SPDX-License-Identifier: MIT
// What a fit's residuals and its covariance consist of.
#include "raytracer/solvers/reconstruction/fit/posterior.h"
#include "tests/raytracer/solvers/reconstruction/mirrors.h"
#include "tests/raytracer/tracing/surface/surface_support.h"

#include <algorithm>
#include <cmath>

using namespace helioray;
using namespace helioray::reconstruction;

namespace {

/// Three images of the start itself.
struct Images {
    Scenario scenario = test::one_heliostat(test::four_facets(50.0));
    MirrorShape shape{*scenario.heliostats[0].surface};
    std::vector<FitImage> images;
    FitState state;

    Images() : state{std::vector<double>(shape.num_unknowns(), 0.0), {}, {}} {
        for (const size_t sun : {0u, 3u, 6u}) {
            FitImage image;
            image.geometry = test::geometry_of(scenario, test::kSuns[sun][0], test::kSuns[sun][1]);
            image.brightness = ImageModel(image.geometry).image(shape, state.unknowns, {}, {});
            const double most = *std::max_element(image.brightness.begin(), image.brightness.end());
            for (double& value : image.brightness) value /= most;
            image.seen.assign(image.brightness.size(), true);
            images.push_back(std::move(image));
            state.own.emplace_back();
        }
    }

    /// Adds misfit(row, column, brightness) to all pixels.
    template <typename Misfit>
    double smooth_share_with(const Misfit& misfit) const {
        std::vector<FitImage> changed = images;
        for (FitImage& image : changed)
            for (size_t i = 0; i < image.brightness.size(); ++i)
                image.brightness[i] +=
                    misfit(i / kImagePixels, i % kImagePixels, image.brightness[i]);
        return Posterior(shape, changed, {0.01, 0.0}).smooth_misfit(state).share;
    }
};

}  // namespace

TEST_CASE("Noise of single pixels and misfit over many pixels are told apart") {
    const Images of;
    test::Uniform random(5);
    const auto noise = [&](double width) { return width * std::sqrt(3.0) * random(-1.0, 1.0); };
    const auto wave = [](size_t row, size_t column, double brightness) {
        return 0.02 * brightness * std::sin(0.3 * static_cast<double>(row)) *
               std::cos(0.35 * static_cast<double>(column));
    };
    CHECK(of.smooth_share_with([&](size_t, size_t, double) { return noise(0.01); }) < 0.15);
    CHECK(of.smooth_share_with(wave) > 0.9);
    // Blocks of 16 pixels with the same value have 16 times the variance of independent ones.
    const auto both = [&](size_t row, size_t column, double) {
        test::Uniform block(1000 * (row / 4) + column / 4);
        for (int i = 0; i < 3; ++i) block(-1.0, 1.0);
        return 0.01 * std::sqrt(3.0) * block(-1.0, 1.0) + noise(0.01);
    };
    CHECK(of.smooth_share_with(both) == Approx(16.0 / 17.0).margin(0.02));
}

TEST_CASE("A covariance consists of the prior's part and the misfit's") {
    const Images of;
    // Without images that show anything, all of it is the prior's.
    std::vector<FitImage> dark = of.images;
    for (FitImage& image : dark) image.seen.assign(image.seen.size(), false);
    const Curvature blind = Posterior(of.shape, dark, {1.0, 0.0}).curvature(of.state);
    const std::vector<double> expected = of.shape.expected_covariance();
    for (size_t i = 0; i < expected.size(); ++i) {
        REQUIRE(blind.covariance[i] == Approx(expected[i]).epsilon(1e-6).margin(1e-14));
        REQUIRE(blind.of_prior[i] == Approx(expected[i]).epsilon(1e-6).margin(1e-14));
    }
    // C = (P + D / s^2)^-1, so that dC / d(ln s) = 2 C D C / s^2 = 2 (C - C P C).
    constexpr double kNoise = 0.2, kStep = 1e-3;
    const auto at = [&](double factor) {
        return Posterior(of.shape, of.images, {kNoise * factor, 0.0}).curvature(of.state);
    };
    const Curvature middle = at(1.0), more = at(1.0 + kStep), less = at(1.0 - kStep);
    const size_t count = of.shape.num_unknowns();
    for (size_t i = 0; i < count; ++i) {
        const size_t k = i * (count + 1);
        const double slope = (more.covariance[k] - less.covariance[k]) / (2.0 * kStep);
        INFO("unknown " << i);
        CHECK(2.0 * (middle.covariance[k] - middle.of_prior[k]) == Approx(slope).epsilon(0.002));
    }
}
