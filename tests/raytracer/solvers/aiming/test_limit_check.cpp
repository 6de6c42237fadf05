// SPDX-License-Identifier: MIT
// Traced fields against limits: what noise of rays may and may not decide.
#include "raytracer/solvers/aiming/traced/flux_limits.h"
#include "raytracer/solvers/aiming/traced/limit_check.h"
#include "tests/raytracer/solvers/aiming/plant.h"
#include "tests/support/catch2.h"

#include <limits>
#include <random>

using namespace helioray;
using namespace helioray::aiming;
using namespace helioray::test;

namespace {

constexpr int64_t kWidth = 24, kHeight = 16;
constexpr double kNone = std::numeric_limits<double>::infinity();

LimitMap uniform_limit(double limit) {
    LimitMap map;
    map.target = "receiver";
    map.limit.assign(kWidth * kHeight, limit);
    return map;
}

/// A map with this true flux and Gaussian noise of a fraction of it.
template <typename Flux>
TracedField noisy_field(Flux flux, double noise, unsigned seed) {
    std::mt19937 random(seed);
    std::normal_distribution<double> normal;
    TracedField field;
    TargetResult target;
    target.target = {"receiver", PlanarTarget{{0.0, 0.0, 0.0}, {0.0, 1.0, 0.0}, 6.0, 4.0}};
    target.width = kWidth;
    target.height = kHeight;
    for (int64_t row = 0; row < kHeight; ++row) {
        for (int64_t column = 0; column < kWidth; ++column) {
            const double truth = flux(column, row);
            target.flux.push_back(truth * (1.0 + noise * normal(random)));
            target.flux_std_error.push_back(noise * truth);
        }
    }
    field.run.targets.push_back(std::move(target));
    return field;
}

}  // namespace

TEST_CASE("noise of many pixels at their limit is no excess, and a real one is found") {
    const std::vector<LimitMap> limits{uniform_limit(100.0)};
    const auto flat = [](int64_t, int64_t) { return 100.0; };
    const auto bump = [](int64_t column, int64_t row) {
        return column >= 10 && column < 13 && row >= 6 && row < 9 ? 108.0 : 95.0;
    };
    double sum = 0.0, square = 0.0, sum_of_bump = 0.0;
    int above = 0;
    constexpr int kRuns = 40;
    for (unsigned seed = 0; seed < kRuns; ++seed) {
        const LimitCheck check = check_limits(limits, noisy_field(flat, 0.03, seed));
        CAPTURE(seed, *check.worst_share, check.worst_std_error);
        above += check.kept ? 0 : 1;
        CHECK(check.place == "receiver");
        sum += (*check.worst_share - 1.0) / kRuns;
        square += (*check.worst_share - 1.0) * (*check.worst_share - 1.0) / kRuns;
        const LimitCheck found = check_limits(limits, noisy_field(bump, 0.01, seed));
        CHECK_FALSE(found.kept);
        sum_of_bump += *found.worst_share / kRuns;
    }
    // The largest of 384 pixels with an error of 3 % is 9 % too high.
    CAPTURE(sum, square);
    CHECK(std::abs(sum) < 0.006);
    CHECK(above <= 1);
    CHECK(std::sqrt(square) < 0.018);
    CHECK(sum_of_bump == Approx(1.08).margin(0.006));
}

TEST_CASE("a limit on a structure of few pixels is judged there, not over its neighbours") {
    // The flux is flat; the limit is low in a column, and there is none beside it.
    LimitMap map = uniform_limit(kNone);
    for (int64_t row = 0; row < kHeight; ++row)
        map.limit[static_cast<size_t>(row * kWidth + 12)] = 100.0;
    const auto flat = [](int64_t, int64_t) { return 99.0; };
    for (unsigned seed = 0; seed < 10; ++seed) {
        const LimitCheck check = check_limits({map}, noisy_field(flat, 0.05, seed));
        CHECK(*check.worst_share == Approx(0.99).margin(4.0 * check.worst_std_error));
        CHECK(*check.worst_share > 0.9);
    }
    // A ridge of one pixel under a limit everywhere.
    const auto ridge = [](int64_t column, int64_t) { return column == 12 ? 100.0 : 40.0; };
    const LimitCheck check = check_limits({uniform_limit(100.0)}, noisy_field(ridge, 0.1, 1));
    CHECK(*check.worst_share == Approx(1.0).margin(0.12));
}

TEST_CASE("a field without limits or without light has nothing above them") {
    CHECK_FALSE(check_limits({uniform_limit(kNone)},
                             noisy_field([](int64_t, int64_t) { return 1.0; }, 0.1, 1))
                    .worst_share);
    const LimitCheck dark = check_limits({uniform_limit(5.0)}, TracedField{});
    CHECK(dark.worst_share == 0.0);
    CHECK(dark.kept);
}

TEST_CASE("corrections of limits average noise, and keep structures") {
    FluxModel model;
    model.grids = {square_grid(true, 16)};
    model.grids[0].columns = kWidth;
    model.grids[0].width = 6.0;
    model.grids[0].height = 4.0;
    model.grids[0].lit_share.assign(model.grids[0].num_cells(), 1.0);
    model.num_cells = model.grids[0].num_cells();
    BitmapConfig bitmap;
    bitmap.width = kWidth;
    bitmap.height = kHeight;
    const double area = model.grids[0].cell_area();
    const std::vector<double> modelled(model.num_cells, 100.0 * area);
    const std::vector<LimitMap> limits{uniform_limit(120.0)};
    // The model is right but for a pixel that is twice as bright.
    const auto flux = [](int64_t column, int64_t row) {
        return column == 5 && row == 5 ? 200.0 : 100.0;
    };
    double square = 0.0;
    constexpr int kRuns = 20;
    for (unsigned seed = 0; seed < kRuns; ++seed) {
        const auto corrections =
            map_corrections(model, limits, bitmap, noisy_field(flux, 0.03, seed), modelled);
        REQUIRE(corrections.size() == 1);
        CHECK(corrections[0].flux[5 * kWidth + 5] == Approx(100.0).margin(25.0));
        const size_t far = 10 * kWidth + 15;
        square += corrections[0].flux[far] * corrections[0].flux[far] / kRuns;
        CHECK(corrections[0].std_error[far] < 3.0);
        const auto cells = cell_limits(model, limits, bitmap, corrections, 0.0, {});
        CHECK(cells[model.grids[0].cell(5, 5)] < 50.0 * area);
    }
    // An average over 25 pixels leaves a fifth of the noise of 3 W/m2.
    CHECK(std::sqrt(square) < 1.5);
}

TEST_CASE("corrections of a fine bitmap average over two cells to either side") {
    // Cells of 4 x 4 pixels: up to 17 x 17 pixels, of which the bitmap's edges cut none here.
    FluxModel model;
    model.grids = {square_grid(true, 4)};
    model.grids[0].columns = kWidth / 4;
    model.grids[0].width = 6.0;
    model.grids[0].height = 4.0;
    model.grids[0].lit_share.assign(model.grids[0].num_cells(), 1.0);
    model.num_cells = model.grids[0].num_cells();
    BitmapConfig bitmap;
    bitmap.width = kWidth;
    bitmap.height = kHeight;
    const std::vector<double> modelled(model.num_cells, 100.0 * model.grids[0].cell_area());
    const auto flat = [](int64_t, int64_t) { return 100.0; };
    double square = 0.0;
    constexpr int kRuns = 20;
    const size_t middle = 8 * kWidth + 12;
    for (unsigned seed = 0; seed < kRuns; ++seed) {
        const auto corrections = map_corrections(
            model, {uniform_limit(120.0)}, bitmap, noisy_field(flat, 0.03, seed), modelled);
        // 17 columns and all 16 rows leave a sixteenth of the noise; 5 x 5 pixels a fifth.
        CHECK(corrections[0].std_error[middle] ==
              Approx(3.0 / std::sqrt(17.0 * 16.0)).epsilon(0.02));
        square += corrections[0].flux[middle] * corrections[0].flux[middle] / kRuns;
    }
    CHECK(std::sqrt(square) < 0.4);
}
