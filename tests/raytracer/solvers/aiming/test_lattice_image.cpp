// SPDX-License-Identifier: MIT
// Images that are interpolated between traced aim points, against Gaussian images in closed form.
#include "raytracer/solvers/aiming/model/lattice_image.h"
#include "tests/support/catch2.h"

#include <algorithm>
#include <cmath>
#include <numbers>

using namespace helioray::aiming;

namespace {

constexpr int kCells = 20;  // along either side of 10 m x 10 m

double within(double low, double high, double middle, double sigma) {
    const auto below = [&](double t) {
        return 0.5 * std::erfc((middle - t) / (sigma * std::numbers::sqrt2));
    };
    return below(high) - below(low);
}

/// Light in the cells of a Gaussian of 1000 W around a point.
std::vector<double> gaussian(SurfacePoint at, double sigma) {
    std::vector<double> watts;
    const double side = 10.0 / kCells;
    for (int row = 0; row < kCells; ++row)
        for (int column = 0; column < kCells; ++column)
            watts.push_back(1000.0 *
                            within(-5.0 + column * side, -5.0 + (column + 1) * side, at.x, sigma) *
                            within(-5.0 + row * side, -5.0 + (row + 1) * side, at.y, sigma));
    return watts;
}

LatticeImage traced(const AimLattice& lattice, double sigma, bool is_sharp) {
    std::vector<SparseLight> lights;
    for (int row = 0; row < lattice.up; ++row) {
        for (int column = 0; column < lattice.across; ++column) {
            const std::vector<double> watts = gaussian(lattice.at(column, row), sigma);
            SparseLight light;
            for (size_t c = 0; c < watts.size(); ++c)
                if (watts[c] > 1e-9)
                    light.emplace_back(static_cast<uint32_t>(c), static_cast<float>(watts[c]));
            lights.push_back(std::move(light));
        }
    }
    return {lattice, lights, {is_sharp, is_sharp}};
}

std::vector<double> cells_at(const LatticeImage& image, SurfacePoint aim) {
    std::vector<double> cells(kCells * kCells, 0.0);
    image.add(aim, 1.0, cells);
    return cells;
}

/// Factors that change sign, so that the best aim point lies within the rectangle.
std::vector<double> wavy_factors() {
    std::vector<double> factors;
    for (int row = 0; row < kCells; ++row)
        for (int column = 0; column < kCells; ++column)
            factors.push_back(std::cos(0.9 * column - 2.0) + std::sin(0.7 * row + 0.4));
    return factors;
}

}  // namespace

TEST_CASE("an image between traced aim points has the light of one traced there") {
    const AimLattice lattice{{-3.0, -4.0}, {3.0, 4.0}, 9, 11};
    const double sigma = 1.0;
    const LatticeImage image = traced(lattice, sigma, true);
    for (const SurfacePoint aim : {SurfacePoint{0.0, 0.0}, {-0.5, 1.5}, {1.2, -2.7}, {2.9, 3.8}}) {
        CAPTURE(aim.x, aim.y);
        const std::vector<double> expected = gaussian(aim, sigma), found = cells_at(image, aim);
        const double most = *std::max_element(expected.begin(), expected.end());
        for (size_t c = 0; c < found.size(); ++c)
            CHECK(std::abs(found[c] - expected[c]) < 0.06 * most);
    }
    // At the traced points themselves the image is exact.
    const std::vector<double> expected = gaussian(lattice.at(2, 5), sigma);
    const std::vector<double> found = cells_at(image, lattice.at(2, 5));
    for (size_t c = 0; c < found.size(); ++c) CHECK(found[c] == Approx(expected[c]).margin(1e-3));
}

TEST_CASE("an image that is not sharp is never negative and keeps its power") {
    const AimLattice lattice{{0.0, -3.0}, {0.0, 3.0}, 1, 3};
    const LatticeImage image = traced(lattice, 0.5, false);
    for (const double y : {-3.0, -1.4, 0.2, 2.0, 3.0}) {
        double sum = 0.0;
        for (const double watts : cells_at(image, {0.0, y})) {
            CHECK(watts >= -1e-4);
            sum += watts;
        }
        CHECK(sum == Approx(1000.0).epsilon(1e-3));
    }
}

TEST_CASE("derivatives of an interpolated image are those of its values") {
    const LatticeImage image = traced({{-3.0, -4.0}, {3.0, 4.0}, 7, 9}, 1.0, true);
    const std::vector<double> factors = wavy_factors();
    constexpr double h = 1e-5;
    for (const SurfacePoint aim : {SurfacePoint{0.1, 0.2}, {-2.9, 3.9}, {1.7, -2.2}}) {
        CAPTURE(aim.x, aim.y);
        const auto value = [&](double x, double y) {
            return image.weighted({aim.x + x, aim.y + y}, factors).value;
        };
        const LatticeImage::Value at = image.weighted(aim, factors);
        CHECK(at.dx == Approx((value(h, 0.0) - value(-h, 0.0)) / (2.0 * h)).margin(0.05));
        CHECK(at.dy == Approx((value(0.0, h) - value(0.0, -h)) / (2.0 * h)).margin(0.05));
        double sum = 0.0;
        const std::vector<double> cells = cells_at(image, aim);
        for (size_t c = 0; c < cells.size(); ++c) sum += cells[c] * factors[c];
        CHECK(at.value == Approx(sum).epsilon(1e-9));
    }
}

TEST_CASE("the best aim point of an interpolated image is that of an exhaustive search") {
    const std::vector<double> factors = wavy_factors();
    for (const bool is_line : {false, true}) {
        const AimLattice lattice = is_line ? AimLattice{{0.5, -4.0}, {0.5, 4.0}, 1, 9}
                                           : AimLattice{{-3.0, -4.0}, {3.0, 4.0}, 7, 9};
        const LatticeImage image = traced(lattice, 0.9, true);
        for (const double shrink : {1.0, 0.45, 0.03}) {
            CAPTURE(is_line, shrink);
            const SurfacePoint low{is_line ? 0.5 : shrink * -3.0, shrink * -4.0};
            const SurfacePoint high{is_line ? 0.5 : shrink * 3.0, shrink * 4.0};
            double most = -1e300;
            for (int i = 0; i <= 120; ++i)
                for (int j = 0; j <= 120; ++j)
                    most = std::max(most,
                                    image
                                        .weighted({std::lerp(low.x, high.x, i / 120.0),
                                                   std::lerp(low.y, high.y, j / 120.0)},
                                                  factors)
                                        .value);
            const LatticeImage::Best best = image.best(low, high, factors);
            CHECK(best.bound >= most - 1e-6);
            CHECK(best.bound <= best.value + 0.2);
            CHECK(best.value >= most - 0.2);
            CHECK(best.aim.x >= low.x);
            CHECK(best.aim.x <= high.x);
            CHECK(best.aim.y >= low.y);
            CHECK(best.aim.y <= high.y);
        }
    }
}
