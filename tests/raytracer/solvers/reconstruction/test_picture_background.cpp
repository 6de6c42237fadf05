// SPDX-License-Identifier: MIT
// Backgrounds and noise of pictures whose background and noise are known, and what they leave of
// flux accuracy and misfit.
#include "raytracer/solvers/reconstruction/fit/image_score.h"
#include "raytracer/solvers/reconstruction/images/picture_background.h"
#include "tests/support/catch2.h"

#include <array>
#include <cmath>
#include <random>
#include <vector>

using namespace helioray::reconstruction;

namespace {

/// A Gaussian spot_on_background with an aureole about it, 6 x 6 m.
FluxMap spot_on_background(int64_t pixels,
                           double width,
                           double right = 0.0,
                           const std::array<double, 2>& extent = {6.0, 6.0}) {
    FluxMap map{pixels, pixels, extent, {}};
    for (int64_t row = 0; row < pixels; ++row) {
        for (int64_t column = 0; column < pixels; ++column) {
            const auto count = static_cast<double>(pixels);
            const double x = ((static_cast<double>(column) + 0.5) / count - 0.5) * extent[0];
            const double y = (0.5 - (static_cast<double>(row) + 0.5) / count) * extent[1];
            const double square = (x - right) * (x - right) + y * y;
            map.values.push_back(std::exp(-0.5 * square / (width * width)) +
                                 0.03 * std::exp(-0.5 * square));
        }
    }
    return map;
}

/// The picture of a camera: on a plane that rises to the right by `slope` of its level.
FluxMap pictured(FluxMap map, double level, double slope, double noise, unsigned seed) {
    std::mt19937_64 random(seed);
    std::normal_distribution<double> normal;
    for (size_t i = 0; i < map.values.size(); ++i) {
        const auto column = static_cast<double>(i % static_cast<size_t>(map.width));
        const double x = (2.0 * column + 1.0) / static_cast<double>(map.width) - 1.0;
        map.values[i] += level * (1.0 + slope * x) + noise * normal(random);
    }
    return map;
}

}  // namespace

TEST_CASE("Background and noise of a picture are found") {
    for (const int64_t pixels : {64, 256}) {
        for (const double noise : {0.0, 0.01, 0.02}) {
            for (const double slope : {0.0, 0.2}) {
                CAPTURE(pixels, noise, slope);
                const PictureBackground found = find_background(
                    pictured(spot_on_background(pixels, 0.6, 0.3), 0.1, slope, noise, 5));
                CHECK(found.level == Approx(0.1).margin(0.003));
                CHECK(found.slope[0] == Approx(0.1 * slope).margin(0.004));
                CHECK(found.slope[1] == Approx(0.0).margin(0.004));
                CHECK(found.noise == Approx(noise).epsilon(0.06).margin(3e-4));
            }
        }
    }
}

TEST_CASE("A picture without background stays as it is") {
    FluxMap map = spot_on_background(64, 0.6);
    for (double& value : map.values) value = std::floor(255.0 * value) / 255.0;
    for (double& value : map.values)
        if (value < 0.02) value = 0.0;
    const std::vector<double> before = map.values;
    subtract_background(map);
    CHECK(map.values == before);
    CHECK(map.noise == 0.0);
}

TEST_CASE("Flux accuracy of noisy pictures is that of clean ones") {
    const FluxMap light = spot_on_background(96, 0.6, 0.0, {9.0, 9.0});
    const FluxMap other = spot_on_background(96, 0.8, 0.0, {9.0, 9.0});
    const FluxWindow equal = window_about_centroid(light, kAccuracyPixels);
    const FluxWindow wider = window_about_centroid(other, kAccuracyPixels);
    for (const int64_t pixels : {64, 256}) {
        const FluxMap clean = spot_on_background(pixels, 0.6);
        const FluxWindow exact = window_about_centroid(clean, kAccuracyPixels);
        const double right = flux_accuracy(equal, exact), wrong = flux_accuracy(wider, exact);
        CHECK(right > 0.985);
        CHECK(wrong < 0.85);
        double mean_right = 0.0, mean_wrong = 0.0, raw = 0.0;
        constexpr unsigned kPictures = 10;
        for (unsigned seed = 0; seed < kPictures; ++seed) {
            FluxMap picture = pictured(clean, 0.1, 0.1, 0.02, seed);
            subtract_background(picture);
            FluxWindow measured = window_about(picture, {}, kAccuracyPixels);
            mean_right += flux_accuracy(equal, measured) / kPictures;
            mean_wrong += flux_accuracy(wider, measured) / kPictures;
            measured.noise = {};
            raw += flux_accuracy(equal, measured) / kPictures;
        }
        CAPTURE(pixels);
        CHECK(mean_right == Approx(right).margin(0.02));
        CHECK(mean_wrong == Approx(wrong).margin(0.02));
        CHECK(right - raw > 2.0 * std::abs(right - mean_right));
    }
}

TEST_CASE("Noise of a window is that of its map") {
    FluxMap map{100, 80, {7.0, 7.5}, std::vector<double>(8000, 0.0), 0.02};
    std::mt19937_64 random(3);
    std::normal_distribution<double> normal(0.0, map.noise);
    constexpr int kPixels = 24, kDraws = 400;
    std::vector<double> squares(kPixels * kPixels, 0.0);
    FluxWindow window;
    for (int draw = 0; draw < kDraws; ++draw) {
        for (double& value : map.values) value = normal(random);
        window = window_about(map, {0.2, -0.1}, kPixels);
        for (size_t i = 0; i < squares.size(); ++i)
            squares[i] += window.values[i] * window.values[i] / kDraws;
    }
    REQUIRE(window.noise.single.size() == squares.size());
    double shown = 0.0, stated = 0.0;
    for (size_t i = 0; i < squares.size(); ++i) {
        CHECK(std::sqrt(squares[i]) == Approx(window.noise.single[i]).epsilon(0.2));
        CHECK(window.noise.smooth[i] < 0.5 * window.noise.single[i]);
        shown += squares[i];
        stated += std::pow(window.noise.single[i], 2);
    }
    CHECK(shown == Approx(stated).epsilon(0.02));
}

TEST_CASE("The misfit of the true light is the number of pixels, whatever its place") {
    FluxMap picture = pictured(spot_on_background(kImagePixels, 0.6), 0.0, 0.0, 0.02, 7);
    for (double& value : picture.values) value += 0.005;
    const FluxWindow window = window_about(picture, {}, kImagePixels);
    const FitImage image{{}, window.values, window.seen};
    const double pixels = kImagePixels * kImagePixels;
    double square = 0.0;
    FluxMap unit{kImagePixels, kImagePixels, {6.0, 6.0}, picture.values, 0.02};
    for (const double noise : window_about(unit, {}, kImagePixels).noise.single)
        square += noise * noise / pixels;
    const PixelNoise noise{std::sqrt(square), 0.0};
    for (const double right : {-0.4, 0.0, 0.55}) {
        const double of_truth =
            misfit_of_traced(image, spot_on_background(144, 0.6, right, {9.0, 9.0}), noise);
        CHECK(of_truth == Approx(pixels).epsilon(0.08));
        for (const double width : {0.5, 0.7})
            CHECK(misfit_of_traced(image,
                                   spot_on_background(144, width, right, {9.0, 9.0}),
                                   noise) > 1.2 * of_truth);
    }
}
