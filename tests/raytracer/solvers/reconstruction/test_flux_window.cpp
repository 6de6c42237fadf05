// SPDX-License-Identifier: MIT
// Windows about the centre of light, and how alike they are.
#include "raytracer/solvers/reconstruction/images/convolution.h"
#include "raytracer/solvers/reconstruction/images/flux_window.h"
#include "tests/support/catch2.h"

#include <cmath>
#include <numeric>

using namespace helioray::reconstruction;

namespace {

/// A Gaussian spot of 0.5 m, metres to the right and up of the map's centre.
FluxMap spot(
    int64_t width, int64_t height, const std::array<double, 2>& extent, double right, double up) {
    FluxMap map{width, height, extent, {}};
    for (int64_t row = 0; row < height; ++row) {
        for (int64_t column = 0; column < width; ++column) {
            const double x = ((column + 0.5) / width - 0.5) * extent[0] - right;
            const double y = (0.5 - (row + 0.5) / height) * extent[1] - up;
            map.values.push_back(std::exp(-0.5 * (x * x + y * y) / 0.25));
        }
    }
    return map;
}

}  // namespace

TEST_CASE("A window shows the same spot wherever and however fine a map shows it") {
    const FluxWindow middle =
        window_about_centroid(spot(64, 64, {6, 6}, 0.0, 0.0), kAccuracyPixels);
    const FluxWindow moved =
        window_about_centroid(spot(256, 256, {8.6, 7.2}, 0.9, -0.4), kAccuracyPixels);
    CHECK(moved.centre[0] == Approx(0.9).margin(1e-3));
    CHECK(moved.centre[1] == Approx(-0.4).margin(1e-3));
    CHECK(flux_accuracy(middle, middle) == Approx(1.0).margin(1e-12));
    // Coarse pixels blur by interpolation.
    CHECK(flux_accuracy(middle, moved) > 0.99);
    // Up on the map is up in the window: the brightest pixels are in the middle.
    CHECK(moved.values[32 * 64 + 32] == Approx(1.0).margin(0.02));
}

TEST_CASE("Pixels beyond a map are not seen and not compared") {
    // The target ends 2.1 m to the right of the spot.
    const FluxWindow part =
        window_about_centroid(spot(86, 72, {8.6, 7.2}, 2.2, 0.0), kAccuracyPixels);
    const FluxWindow whole = window_about_centroid(spot(90, 90, {9, 9}, 0.0, 0.0), kAccuracyPixels);
    CHECK_FALSE(part.seen[32 * 64 + 60]);
    CHECK(part.seen[32 * 64 + 10]);
    CHECK(flux_accuracy(part, whole) > 0.98);
}

TEST_CASE("Flux accuracy is the share of light in the same place") {
    const auto window = [](std::vector<double> values) {
        return FluxWindow{values, std::vector<bool>(values.size(), true), {}};
    };
    CHECK(flux_accuracy(window({1, 1, 0, 0}), window({0, 0, 5, 5})) == 0.0);
    CHECK(flux_accuracy(window({1, 1, 0, 0}), window({0, 3, 3, 0})) == Approx(0.5));
    CHECK(flux_accuracy(window({2, 2, 2, 2}), window({1, 1, 1, 1})) == Approx(1.0));
    CHECK(flux_accuracy(window({0, 0, 0, 0}), window({1, 1, 1, 1})) == 0.0);
}
