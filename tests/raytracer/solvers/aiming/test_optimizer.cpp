// SPDX-License-Identifier: MIT
// The optimiser and its bound on problems with known or exhaustively searched optima.
#include "raytracer/solvers/aiming/search/exchange.h"
#include "raytracer/solvers/aiming/search/optimize.h"
#include "raytracer/solvers/aiming/search/power_bound.h"
#include "raytracer/solvers/aiming/search/projected_lbfgs.h"
#include "tests/raytracer/solvers/aiming/plant.h"
#include "tests/support/catch2.h"

#include <limits>
#include <numeric>

using namespace helioray;
using namespace helioray::aiming;
using namespace helioray::test;

namespace {

constexpr double kNoLimit = std::numeric_limits<double>::infinity();

/// Heliostats with Gaussian images of these widths, all aimed at the middle of a column grid.
struct Case {
    FluxModel model;
    AimProblem aims;

    Case(const std::vector<double>& sigmas, double limit, bool free_x = false, int cells = 10) {
        model.grids = {square_grid(free_x, cells, free_x ? 2 : 4)};
        model.num_cells = model.grids[0].num_cells();
        for (const double sigma : sigmas) {
            model.grid_of.push_back(0);
            model.images.push_back(gaussian_image(model.grids[0], {0.0, 0.0}, sigma, 1000.0));
            aims.ranges.push_back({{free_x ? -5.0 : 0.0, -5.0}, {free_x ? 5.0 : 0.0, 5.0}});
        }
        aims.model = &model;
        aims.limits.assign(model.num_cells, limit);
    }
    double power(const std::vector<Setting>& settings) const {
        const auto cells = model.cells(settings);
        return std::accumulate(cells.begin(), cells.end(), 0.0);
    }
    double excess(const std::vector<Setting>& settings) const {
        const auto cells = model.cells(settings);
        double worst = -1.0;
        for (size_t c = 0; c < cells.size(); ++c)
            worst = std::max(worst, cells[c] / aims.limits[c] - 1.0);
        return worst;
    }
    AimSolution solved(double start = 0.3) const {
        AimSolution solution;
        for (size_t i = 0; i < model.images.size(); ++i)
            solution.settings.push_back({{0.0, i % 2 == 0 ? start : -start}, 1.0});
        solution.prices.assign(model.num_cells, 0.0);
        solve(aims, 5e-4, solution);
        return solution;
    }
};

}  // namespace

TEST_CASE("projected L-BFGS finds the minimum between bounds") {
    // Rosenbrock's valley: free at (1, 1), at (0.5, 0.25) with x <= 0.5.
    const Objective valley = [](std::span<const double> x, std::span<double> g) {
        const double a = 1.0 - x[0], b = x[1] - x[0] * x[0];
        g[0] = -2.0 * a - 400.0 * x[0] * b;
        g[1] = 200.0 * b;
        return a * a + 100.0 * b * b;
    };
    const LbfgsOptions options{200, 0.1, 1e-14};
    for (const double most : {10.0, 0.5}) {
        std::vector<double> x{-1.2, 1.0};
        const std::vector<double> low{-10.0, -10.0}, high{most, 10.0};
        LbfgsMemory memory;
        CHECK(minimise(valley, low, high, x, options, memory) < 200);
        const double expected = std::min(1.0, most);
        CHECK(x[0] == Approx(expected).epsilon(1e-4));
        CHECK(x[1] == Approx(expected * expected).epsilon(1e-4));
    }
}

TEST_CASE("a call that takes over the memory goes on where the last one ended") {
    const Objective bowl = [](std::span<const double> x, std::span<double> g) {
        double value = 0.0;
        for (size_t i = 0; i < x.size(); ++i) {
            const auto steep = static_cast<double>(1 + i * i);
            value += 0.5 * steep * x[i] * x[i];
            g[i] = steep * x[i];
        }
        return value;
    };
    const std::vector<double> low(12, -9.0), high(12, 9.0), start(12, 1.0);
    std::vector<double> once = start, twice = start, forgetful = start;
    LbfgsMemory whole, kept;
    minimise(bowl, low, high, once, {16, 0.1, 0.0}, whole);
    for (int call = 0; call < 2; ++call) {
        minimise(bowl, low, high, twice, {8, 0.1, 0.0}, kept);
        LbfgsMemory fresh;
        minimise(bowl, low, high, forgetful, {8, 0.1, 0.0}, fresh);
    }
    CHECK(twice == once);
    CHECK(forgetful != once);
}

TEST_CASE("without limits everyone aims at the middle, and the bound is the power") {
    Case problem({2.0, 2.5, 3.0}, kNoLimit);
    const AimSolution solution = problem.solved();
    for (const Setting& setting : solution.settings) {
        CHECK(setting.share == 1.0);
        CHECK(std::abs(setting.aim.y) < 0.1);
    }
    std::vector<double> prices(problem.model.num_cells, 0.0);
    const double bound = power_bound(problem.aims, 0.0, 30, prices).bound;
    CHECK(bound >= problem.power(solution.settings) - 1e-3);
    CHECK(bound == Approx(problem.power(solution.settings)).epsilon(1e-4));
}

TEST_CASE("two heliostats on a line move apart alike, as far as the limit wants") {
    // Their common flux is twice that of one where they overlap: by symmetry the optimum is at +-y
    // with the limit reached.
    Case problem({1.0, 1.0}, 0.0);
    const std::vector<Setting> middle{{{0.0, 0.0}, 1.0}, {{0.0, 0.0}, 1.0}};
    const auto cells = problem.model.cells(middle);
    const double limit = 0.7 * *std::max_element(cells.begin(), cells.end());
    problem.aims.limits.assign(cells.size(), limit);
    const AimSolution solution = problem.solved();
    CHECK(problem.excess(solution.settings) < 1e-3);
    CHECK(solution.settings[0].aim.y == Approx(-solution.settings[1].aim.y).margin(0.15));
    double best = 0.0;
    for (double a = -4.0; a <= 4.0; a += 0.1) {
        for (double b = a; b <= 4.0; b += 0.1) {
            const std::vector<Setting> tried{{{0.0, a}, 1.0}, {{0.0, b}, 1.0}};
            if (problem.excess(tried) <= 0.0) best = std::max(best, problem.power(tried));
        }
    }
    const double power = problem.power(solution.settings);
    CHECK(power >= 0.998 * best);
    std::vector<double> prices = solution.prices;
    CHECK(power_bound(problem.aims, 0.0, 30, prices).bound >= best);
}

TEST_CASE("the bound is above the best of an exhaustive grid, and close for many heliostats") {
    for (const bool free_x : {false, true}) {
        Case problem({0.8, 1.2, 1.6}, 70.0, free_x);
        const AimSolution solution = problem.solved();
        std::vector<double> prices = solution.prices;
        const double bound = power_bound(problem.aims, 0.0, 30, prices).bound;
        // Off, or one of these points, for each of three heliostats.
        std::vector<Setting> places{{{0.0, 0.0}, 0.0}};
        const double step = free_x ? 2.0 : 0.5;
        for (double y = -4.0; y <= 4.0; y += step)
            for (double x = free_x ? -4.0 : 0.0; x <= (free_x ? 4.0 : 0.0); x += step)
                places.push_back({{x, y}, 1.0});
        double best = 0.0;
        for (const Setting& a : places)
            for (const Setting& b : places)
                for (const Setting& c : places)
                    if (const std::vector<Setting> tried{a, b, c}; problem.excess(tried) <= 0.0)
                        best = std::max(best, problem.power(tried));
        CAPTURE(free_x, best, bound, problem.power(solution.settings));
        CHECK(bound >= best);
        // Prices of 0 and any others bound it too.
        for (const double price : {0.0, 0.2, 0.8}) {
            std::vector<double> any(problem.model.num_cells, price);
            CHECK(power_bound(problem.aims, 0.0, 30, any).bound >= best);
        }
        CHECK(problem.excess(solution.settings) < 1.5e-3);
        CHECK(problem.power(solution.settings) >= 0.97 * best);
    }
    // Two hundred heliostats share a receiver: what is lost is that they are on or off.
    std::vector<double> sigmas;
    for (int i = 0; i < 200; ++i) sigmas.push_back(0.7 + 0.005 * i);
    Case many(sigmas, 2200.0 * 200.0 / 130.0);
    const AimSolution solution = many.solved(2.0);
    std::vector<double> prices = solution.prices;
    const double bound = power_bound(many.aims, 0.0, 30, prices).bound,
                 power = many.power(solution.settings);
    CHECK(bound >= power);
    CHECK(power >= 0.99 * bound);
    CHECK(many.excess(solution.settings) < 1.5e-3);
}

TEST_CASE("a finer grid of cells gives nearly the same bound") {
    // The limit is one of flux: cells of half the size have a quarter of it.
    std::vector<double> bounds;
    for (const int cells : {10, 20}) {
        std::vector<double> sigmas(40, 1.2);
        Case problem(sigmas, 900.0 * 100.0 / (cells * cells), false, cells);
        const AimSolution solution = problem.solved(1.5);
        std::vector<double> prices = solution.prices;
        bounds.push_back(power_bound(problem.aims, 0.0, 30, prices).bound);
        CHECK(bounds.back() >= problem.power(solution.settings) * (1.0 - 1e-3));
    }
    CHECK(bounds[1] <= bounds[0] * 1.005);
}

TEST_CASE("where moving does not help, heliostats are turned off") {
    // One image alone reaches 140 W in a cell; the limit of 150 bears one heliostat anywhere, and
    // on 10 x 10 cells of 150 W not more than 15 kW in all.
    Case problem(std::vector<double>(40, 1.0), 150.0);
    const AimSolution solution = problem.solved(2.5);
    const auto off = std::count_if(solution.settings.begin(),
                                   solution.settings.end(),
                                   [](const Setting& s) { return s.share == 0.0; });
    CHECK(off > 20);
    CHECK(off < 40);
    CHECK(problem.excess(solution.settings) < 2e-3);
    std::vector<double> prices = solution.prices;
    const double power = problem.power(solution.settings);
    const double bound = power_bound(problem.aims, power, 30, prices).bound;
    CHECK(bound >= power);
    // At a price of 1 everywhere light is worth nothing, and the limits add up to 15 kW.
    std::vector<double> ones(problem.model.num_cells, 1.0);
    CHECK(power_bound(problem.aims, power, 30, ones).bound <= 15'000.0 * (1.0 + 1e-9));
    CHECK(power <= 15'000.0 * (1.0 + 2e-3));
    // A limit that no heliostat keeps leaves none.
    Case impossible({1.0, 1.0}, 20.0);
    for (const Setting& setting : impossible.solved().settings) CHECK(setting.share == 0.0);
}

TEST_CASE("where a third has room, nearly as much is turned on as the bound allows") {
    // Evenly spaced images of 1 kW bring 383 W per metre and heliostat to a cell of the middle.
    Case problem(std::vector<double>(120, 1.0), 1500.0);
    const AimSolution solution = problem.solved(2.0);
    std::vector<double> prices = solution.prices;
    const double power = problem.power(solution.settings);
    const double bound = power_bound(problem.aims, power, 80, prices).bound;
    CAPTURE(power, bound);
    CHECK(problem.excess(solution.settings) < 2e-3);
    CHECK(power > 0.85 * bound);
}

TEST_CASE("exchanges find the best of an exhaustive search where limits are near single peaks") {
    // One image of 1 kW has 140 W in its brightest cell at a width of 1 m: two side by side do not
    // fit under these limits, and the order in which heliostats are turned off decides.
    for (const double limit : {90.0, 120.0, 160.0, 220.0}) {
        CAPTURE(limit);
        Case problem({0.9, 1.1, 1.3, 1.6, 2.0}, limit);
        const AimSolution solution = problem.solved(2.0);
        CHECK(problem.excess(solution.settings) < 1.5e-3);
        std::vector<Setting> places{{{0.0, 0.0}, 0.0}};
        for (double y = -4.8; y <= 4.8; y += 0.8) places.push_back({{0.0, y}, 1.0});
        double best = 0.0;
        std::vector<Setting> tried(5);
        const size_t count = places.size();
        for (size_t k = 0; k < count * count * count * count * count; ++k) {
            size_t rest = k;
            for (Setting& setting : tried) {
                setting = places[rest % count];
                rest /= count;
            }
            const auto cells = problem.model.cells(tried);
            const double power = std::accumulate(cells.begin(), cells.end(), 0.0);
            if (power > best && problem.excess(tried) <= 0.0) best = power;
        }
        CAPTURE(best, problem.power(solution.settings));
        CHECK(problem.power(solution.settings) >= 0.99 * best);
    }
}

TEST_CASE("exchanges keep a solution that they cannot improve, and repeat themselves") {
    Case problem(std::vector<double>(12, 1.0), 250.0);
    AimSolution none;
    none.settings.assign(12, {{0.0, 0.0}, 0.0});
    none.prices.assign(problem.model.num_cells, 0.0);
    AimSolution first = none, second = none;
    REQUIRE(exchange(problem.aims, 5e-4, {0.15}, first));
    REQUIRE(exchange(problem.aims, 5e-4, {0.15}, second));
    CHECK(problem.excess(first.settings) < 1e-3);
    for (size_t i = 0; i < first.settings.size(); ++i) {
        CHECK(first.settings[i].aim.y == second.settings[i].aim.y);
        CHECK(first.settings[i].share == second.settings[i].share);
    }
    // No exchange brings more than all heliostats at the middle where there is no limit.
    Case free({1.0, 1.0}, kNoLimit);
    AimSolution middle;
    middle.settings.assign(2, {{0.0, 0.0}, 1.0});
    middle.prices.assign(free.model.num_cells, 0.0);
    CHECK_FALSE(exchange(free.aims, 5e-4, {0.03}, middle));
    CHECK(middle.settings[0].aim.y == 0.0);
}

TEST_CASE("nothing is exchanged where the bound shows that no power is missing") {
    // The limit is just above the peak of all images together. Searches would move all heliostats
    // again, more often with more effort.
    Case problem({2.0, 2.2, 2.4, 2.6, 2.8}, 140.0);
    Case tight({2.0, 2.2, 2.4, 2.6, 2.8}, 70.0);
    std::vector<AimSolution> found, searched;
    for (const double effort : {1e-3, 10.0}) {
        problem.aims.effort = tight.aims.effort = effort;
        found.push_back(problem.solved());
        searched.push_back(tight.solved());
    }
    const double bound = power_bound_at(problem.aims, found[0].prices).bound;
    CHECK(problem.power(found[0].settings) >= 0.999 * bound);
    CHECK_FALSE(found[0].is_searched);
    CHECK_FALSE(found[1].is_searched);
    CHECK(found[1].iterations == found[0].iterations);
    CHECK(searched[1].is_searched);
    CHECK(searched[1].iterations > searched[0].iterations);
}

TEST_CASE("gaps are not filled where the power with fractional use is reached") {
    // One of 1,000 heliostats is a small part of the power, so that turning on those that fit is
    // enough. Two attempts to fill the rest would take about 400 iterations.
    Case problem(std::vector<double>(1000, 1.0), 6000.0);
    problem.aims.effort = 1e-6;
    const AimSolution solution = problem.solved(2.0);
    CHECK(std::count_if(solution.settings.begin(), solution.settings.end(), [](const Setting& s) {
              return s.share == 0.0;
          }) > 500);
    CHECK(solution.iterations < 300);
}

TEST_CASE("the bound is never above the sum of the best single powers") {
    // At prices that are far too high the limits alone would cost more.
    Case problem({2.0, 2.5}, 1e5);
    const std::vector<double> high(problem.model.num_cells, 0.9);
    const PowerBound bound = power_bound(problem.aims, 0.0, 30, high);
    CHECK(bound.bound <= 2000.0 * (1.0 + 1e-6));
    for (const Setting& answer : bound.answers) {
        CHECK(answer.share == 1.0);
        CHECK(std::abs(answer.aim.y) < 0.15);
    }
}

TEST_CASE("threads change nothing") {
    Case problem(std::vector<double>(150, 1.0), 1200.0);
    const AimSolution one = problem.solved(2.0);
    problem.model.num_threads = 3;
    const AimSolution three = problem.solved(2.0);
    CHECK(one.prices == three.prices);
    CHECK(one.iterations == three.iterations);
    for (size_t i = 0; i < one.settings.size(); ++i)
        CHECK(one.settings[i].aim.y == three.settings[i].aim.y);
}
