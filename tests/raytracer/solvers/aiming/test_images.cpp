// SPDX-License-Identifier: MIT
// Images that move: against formulas, central differences, exhaustive search and rays.
#include "raytracer/solvers/aiming/model/image.h"
#include "raytracer/solvers/aiming/traced/trace_images.h"
#include "raytracer/tracing/geometry/frames.h"
#include "tests/raytracer/solvers/aiming/plant.h"
#include "tests/support/catch2.h"

#include <algorithm>
#include <array>
#include <numeric>
#include <random>

using namespace helioray;
using namespace helioray::aiming;
using namespace helioray::test;

namespace {

std::vector<double> factors_of(const ReceiverGrid& grid, unsigned seed) {
    std::mt19937 random(seed);
    std::vector<double> factors(grid.num_cells());
    for (double& factor : factors)
        factor = 1.0 - std::uniform_real_distribution<double>(0.0, 2.0)(random);
    return factors;
}

}  // namespace

TEST_CASE("an image that is moved is the image from the other aim point") {
    for (const bool free_x : {false, true}) {
        const ReceiverGrid grid = square_grid(free_x);
        const Image image = gaussian_image(grid, {0.1, -0.2}, 1.2, 1000.0);
        CHECK(image.power() == Approx(1000.0).epsilon(free_x ? 1e-9 : 1e-3));
        CHECK(image.spread().y == Approx(1.2).epsilon(0.01));
        CHECK(image.offset().y == Approx(0.0).margin(1e-3));
        const SurfacePoint aim{free_x ? 1.37 : 0.1, 2.21};
        std::vector<double> moved(grid.num_cells(), 0.0), expected(grid.num_cells(), 0.0);
        image.add(grid, aim, 0.5, moved);
        gaussian_image(grid, aim, 1.2, 1000.0).add(grid, aim, 0.5, expected);
        double total = 0.0;
        for (size_t c = 0; c < moved.size(); ++c) {
            CHECK(moved[c] == Approx(expected[c]).margin(0.15));
            total += moved[c];
        }
        // What is left on the receiver: a product of normal distributions.
        const auto below = [](double t) { return 0.5 * std::erfc(-t / (1.2 * std::sqrt(2.0))); };
        const double share =
            (below(5.0 - aim.y) - below(-5.0 - aim.y)) * (below(5.0 - aim.x) - below(-5.0 - aim.x));
        CHECK(total == Approx(500.0 * share).epsilon(1e-3));
    }
}

TEST_CASE("derivatives are those of central differences, and continuous") {
    for (const bool free_x : {false, true}) {
        const ReceiverGrid grid = square_grid(free_x);
        const Image image = gaussian_image(grid, {0.0, 0.0}, 0.7, 1000.0);
        const std::vector<double> factors = factors_of(grid, 1);
        const CellFactors of_cells(grid, factors);
        const auto value = [&](double x, double y) {
            return image.weighted(grid, {x, y}, of_cells).value;
        };
        // At random points, and on both sides of where the bins of the image change.
        for (const SurfacePoint p : {SurfacePoint{0.31, 0.77},
                                     {-1.93, 4.2},
                                     {0.125, 0.125},
                                     {0.125 + 1e-9, 0.125 + 1e-9},
                                     {3.3, -4.9}}) {
            const SurfacePoint at{free_x ? p.x : 0.0, p.y};
            const Image::Value here = image.weighted(grid, at, of_cells);
            const double h = 1e-3;
            const double dy = (value(at.x, at.y + h) - value(at.x, at.y - h)) / (2.0 * h);
            CHECK(here.dy == Approx(dy).epsilon(2e-3).margin(0.5));
            const double dx = (value(at.x + h, at.y) - value(at.x - h, at.y)) / (2.0 * h);
            CHECK(here.dx == Approx(free_x ? dx : 0.0).epsilon(2e-3).margin(0.5));
            std::vector<double> cells(grid.num_cells(), 0.0);
            image.add(grid, at, 1.0, cells);
            CHECK(here.value ==
                  Approx(std::inner_product(cells.begin(), cells.end(), factors.begin(), 0.0)));
        }
    }
}

TEST_CASE("the best aim point is that of an exhaustive search, its bound above every value") {
    for (const bool free_x : {false, true}) {
        const ReceiverGrid grid = square_grid(free_x);
        const Image image = gaussian_image(grid, {0.3, 0.1}, 0.5, 1000.0);
        for (unsigned seed = 0; seed < 5; ++seed) {
            const CellFactors factors(grid, factors_of(grid, seed));
            const SurfacePoint low{free_x ? -4.0 : 0.3, -4.5}, high{free_x ? 4.5 : 0.3, 5.0};
            const Image::Best best = image.best(grid, low, high, factors);
            double most = -1e300;
            for (double y = low.y; y <= high.y; y += 0.02)
                for (double x = low.x; x <= high.x; x += 0.02)
                    most = std::max(most, image.weighted(grid, {x, y}, factors).value);
            CHECK(best.bound >= most - 0.01);
            CHECK(best.bound <= most * 1.002 + 0.5);
            CHECK(best.value == Approx(most).epsilon(0.01).margin(1.0));
            CHECK(best.value == Approx(image.weighted(grid, best.aim, factors).value).margin(0.05));
        }
    }
}

TEST_CASE("between two traced aim points an image is interpolated, and bounded all the same") {
    for (const bool free_x : {false, true}) {
        const ReceiverGrid grid = square_grid(free_x);
        // Sharp and strong at the lower aim point, wide and weak at the upper one, 16 bins away.
        const double x = free_x ? -0.5 : 0.0;
        std::vector<Image> images;
        images.push_back(gaussian_image(grid, {x, -2.0}, 0.6, 1000.0));
        images.push_back(gaussian_image(grid, {x, 2.0}, 1.2, 800.0));
        const Image image = Image::blend(images, 1, 2);
        CHECK(image.power() == Approx(1000.0).epsilon(1e-3));
        const auto cells = [&](const Image& one, SurfacePoint aim) {
            std::vector<double> sums(grid.num_cells(), 0.0);
            one.add(grid, aim, 1.0, sums);
            return sums;
        };
        for (const double up : {-3.0, -2.0, -0.9, 1.0, 2.0, 3.0}) {
            const SurfacePoint aim{x, up};
            const double part = std::clamp((up + 2.0) / 4.0, 0.0, 1.0);
            const auto low = cells(images[0], aim), high = cells(images[1], aim);
            const auto both = cells(image, aim);
            double most = 0.0, worst = 0.0;
            for (size_t c = 0; c < both.size(); ++c) {
                const double expected = (1.0 - part) * low[c] + part * high[c];
                most = std::max(most, expected);
                worst = std::max(worst, std::abs(both[c] - expected));
            }
            CAPTURE(free_x, up, most, worst);
            CHECK(worst < 0.03 * most);
        }
        for (unsigned seed = 0; seed < 5; ++seed) {
            const CellFactors factors(grid, factors_of(grid, seed));
            const auto value = [&](double up, double across = 0.0) {
                return image.weighted(grid, {x + across, up}, factors).value;
            };
            constexpr double h = 1e-3;
            for (const double up : {-2.7, -0.31, 0.77, 2.4})
                CHECK(
                    image.weighted(grid, {x, up}, factors).dy ==
                    Approx((value(up + h) - value(up - h)) / (2.0 * h)).epsilon(5e-3).margin(1.0));
            const Image::Best best = image.best(grid, {x, -4.0}, {x, 4.0}, factors);
            double most = -1e300;
            for (double up = -4.0; up <= 4.0; up += 0.01) most = std::max(most, value(up));
            CHECK(best.bound >= most - 0.01);
            // Across, the bound covers whole bins.
            const double bin = free_x ? grid.bin_width() : 0.0;
            for (double up = -4.2; up <= 4.2; up += 0.02)
                for (const double across : {-bin, -0.5 * bin, 0.5 * bin, bin})
                    most = std::max(most, value(up, across));
            CHECK(best.bound <= most * 1.01 + 2.0);
        }
    }
}

TEST_CASE("the power of an image follows the factor of its aim point") {
    for (const bool free_x : {false, true}) {
        const ReceiverGrid grid = square_grid(free_x);
        Image image = gaussian_image(grid, {0.0, 0.0}, 0.7, 1000.0);
        const PowerFactor factor{free_x ? 0.02 : 0.0, -0.03, free_x ? -0.002 : 0.0, 0.0, 0.004};
        image.set_factor(factor);
        const std::vector<double> ones(grid.num_cells(), 1.0);
        for (const SurfacePoint aim :
             {SurfacePoint{0.0, 0.0}, {0.0, 1.3}, {free_x ? -1.1 : 0.0, 2.0}}) {
            const double power = image.weighted(grid, aim, {grid, ones}).value;
            CHECK(power == Approx(1000.0 * factor.at(aim.x, aim.y)).epsilon(3e-3));
        }
        // The best aim point is where the factor is largest, not in the middle.
        const Image::Best best = image.best(grid, {0.0, -2.5}, {0.0, 2.5}, {grid, ones});
        CHECK(best.aim.y < -2.0);
    }
}

TEST_CASE("traced images, moved, are what rays say of the other aim point") {
    for (const bool cylinder : {true, false}) {
        Plant plant = cylinder ? cylinder_plant(30) : plane_plant(30);
        plant.config.tracing.rays_per_heliostat = 200'000;
        plant.config.output.per_heliostat = true;
        plant.config.aiming.strategy = AimingConfig::Strategy::sigma;
        // Near moves: the images of near heliostats on a plane also change their shape.
        plant.config.aiming.sigma_factor = cylinder ? 1.0 : 6.0;
        const AimingResult result = aim(plant);
        const Scenario& scenario = *plant.scenario;
        std::vector<AimedPoint> centre = result.points;
        for (AimedPoint& point : centre) {
            const Target& target = scenario.targets[0];
            point.aim.point =
                default_aim_point(target, scenario.heliostats[point.aim.heliostat].position);
            const SurfacePoint at = unrolled(target, point.aim.point);
            point.x = at.x;
            point.y = at.y;
        }
        ReceiverGrid grid = make_grid(scenario.targets[0],
                                      0,
                                      {},
                                      plant.config.bitmap,
                                      image_radius(plant.config, scenario, centre, 0));
        std::vector<Image> images(centre.size());
        Range2 range{{0.0, -0.5 * grid.target_height()}, {0.0, 0.5 * grid.target_height()}};
        if (grid.free_x) range.high.x = -(range.low.x = -0.5 * grid.target_width());
        ImageTracer tracer(
            plant.config, scenario, grid, centre, std::vector<Range2>(centre.size(), range), {}, 1);
        tracer.trace(centre, 2, images);
        CHECK(tracer.has_lattices());
        const double pixel_area = grid.cell_area();
        // How much of its light an image has elsewhere than rays, and how much more it has.
        const auto compare = [&](size_t i) {
            const AimedPoint& to = result.points[i];
            std::vector<double> cells(grid.num_cells(), 0.0);
            images[i].add(grid, {to.x, to.y}, 1.0, cells);
            const HeliostatResult& traced = result.after.heliostats[i];
            double difference = 0.0;
            for (int row = 0; row < grid.rows; ++row) {
                for (int column = 0; column < grid.columns; ++column) {
                    const auto pixel = static_cast<size_t>(row * grid.columns + column);
                    const double rays = static_cast<double>(traced.flux[pixel]) * pixel_area;
                    difference += std::abs(cells[grid.cell(column, row)] - rays);
                }
            }
            const double power = traced.energy.target_power;
            return std::array{difference / power,
                              std::accumulate(cells.begin(), cells.end(), 0.0) / power - 1.0};
        };
        for (size_t i = 0; i < images.size(); ++i) {
            REQUIRE(std::abs(result.points[i].y - centre[i].y) > 0.2);
            CAPTURE(cylinder, i, result.points[i].x, result.points[i].y);
            const auto [difference, more] = compare(i);
            // These moves of 0.5 and 1.5 m at 30 to 60 m also change the images' shape and power,
            // which are those between the nearest traced aim points. Neighbours that begin to block
            // between these aim points change the power by up to 1.6 %.
            CHECK(difference < 0.06);
            CHECK(std::abs(more) < 0.02);
        }
        // Traced again where they arrived, only the noise of both is left, and the blur of bins.
        tracer.trace_here(result.points, 2, images);
        for (size_t i = 0; i < images.size(); ++i) {
            CAPTURE(cylinder, i);
            const auto [difference, more] = compare(i);
            CHECK(difference < 0.06);
            CHECK(std::abs(more) < 0.005);
        }
    }
}
