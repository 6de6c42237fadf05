// SPDX-License-Identifier: MIT
// Limits beyond the edges of targets: cells, the optimiser, verifying traces.
#include "raytracer/run/make_job.h"
#include "raytracer/solvers/aiming/search/power_bound.h"
#include "raytracer/solvers/aiming/traced/flux_limits.h"
#include "raytracer/solvers/aiming/traced/trace_images.h"
#include "scenario/files/error.h"
#include "tests/raytracer/solvers/aiming/plant.h"
#include "tests/support/catch2.h"

#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <limits>

using namespace helioray;
using namespace helioray::aiming;
using namespace helioray::test;
using Strategy = AimingConfig::Strategy;

namespace {

constexpr double kUnlimited = std::numeric_limits<double>::infinity();
constexpr int kBeyond = 3;

/// square_grid() with a shield of three cells above and below.
ReceiverGrid shielded_column() {
    ReceiverGrid grid = square_grid(false);
    grid.rows += 2 * kBeyond;
    grid.rows_beyond = kBeyond;
    grid.height += 2.0 * kBeyond;
    grid.margin -= kBeyond;
    grid.lit_share.assign(grid.num_cells(), 1.0);
    for (int column = 0; column < grid.columns; ++column)
        for (int row = 0; row < grid.rows; ++row)
            if (grid.is_beyond(column, row)) grid.lit_share[grid.cell(column, row)] = 0.0;
    return grid;
}

/// Two heliostats on one column under a limit that drives them apart.
struct TwoOnALine {
    FluxModel model;
    AimProblem aims;

    TwoOnALine(double limit, double of_shield) {
        model.grids = {shielded_column()};
        const ReceiverGrid& grid = model.grids[0];
        model.num_cells = grid.num_cells();
        aims.model = &model;
        for (int i = 0; i < 2; ++i) {
            model.grid_of.push_back(0);
            model.images.push_back(gaussian_image(grid, {0.0, 0.0}, 1.5, 1000.0));
            aims.ranges.push_back({{0.0, -5.0}, {0.0, 5.0}});
        }
        for (int column = 0; column < grid.columns; ++column)
            for (int row = 0; row < grid.rows; ++row)
                aims.limits.push_back(grid.is_beyond(column, row) ? of_shield : limit);
    }
    double power(const std::vector<Setting>& settings) const {
        const auto cells = model.cells(settings);
        double sum = 0.0;
        for (size_t c = 0; c < cells.size(); ++c) sum += model.grids[0].lit_share[c] * cells[c];
        return sum;
    }
    double excess(const std::vector<Setting>& settings) const {
        const auto cells = model.cells(settings);
        double worst = -1.0;
        for (size_t c = 0; c < cells.size(); ++c)
            worst = std::max(worst, cells[c] / aims.limits[c] - 1.0);
        return worst;
    }
    double on_shield(const std::vector<Setting>& settings) const {
        const auto cells = model.cells(settings);
        double most = 0.0;
        for (size_t c = 0; c < cells.size(); ++c)
            if (model.grids[0].lit_share[c] == 0.0) most = std::max(most, cells[c]);
        return most;
    }
    AimSolution solved() const {
        AimSolution solution;
        solution.settings = {{{0.0, 1.0}, 1.0}, {{0.0, -1.0}, 1.0}};
        solution.prices.assign(model.num_cells, 0.0);
        solve(aims, 5e-4, solution);
        return solution;
    }
    /// The most power of both on, or one, on a fine grid of aim points.
    double best() const {
        double most = 0.0;
        const auto take = [&](const std::vector<Setting>& tried) {
            if (excess(tried) <= 0.0) most = std::max(most, power(tried));
        };
        for (double a = -5.0; a <= 5.0; a += 0.05) {
            take({{{0.0, a}, 1.0}, {{0.0, a}, 0.0}});
            for (double b = a; b <= 5.0; b += 0.05) take({{{0.0, a}, 1.0}, {{0.0, b}, 1.0}});
        }
        return most;
    }
};

/// A table with one limit up to the edges of a target and another one from there on (W/m2).
std::string table_of(double half_width, double half_height, double limit, double of_shield) {
    std::string text = "x_m,y_m,flux_limit_kw_m2\n";
    constexpr double kWide = 1.0, kThin = 1e-4;
    const auto lines = [&](double half) {
        return std::array{-half - kWide, -half - kThin, -half, half, half + kThin, half + kWide};
    };
    for (const double y : lines(half_height)) {
        for (const double x : lines(half_width)) {
            const bool inside = std::abs(x) <= half_width && std::abs(y) <= half_height;
            text += fmt::format("{},{},{}\n", x, y, 1e-3 * (inside ? limit : of_shield));
        }
    }
    return text;
}

/// A file of limits that a plant reads, as long as it is needed.
class LimitFile {
  public:
    LimitFile()
        : path_(std::filesystem::temp_directory_path() /
                fmt::format("helioray_shield_{}.csv", ::getpid())) {}
    ~LimitFile() {
        std::error_code error;
        std::filesystem::remove(path_, error);
    }
    LimitFile(const LimitFile&) = delete;
    LimitFile& operator=(const LimitFile&) = delete;

    void use(Plant& plant, const std::string& text) const {
        std::ofstream(path_) << text;
        plant.config.aiming.flux_limit_file = path_;
        plant.config.aiming.flux_limit.reset();
    }

  private:
    std::filesystem::path path_;
};

/// The aim points of a result on a target that reaches a metre further, traced with other random
/// numbers or the same.
TargetResult on_larger_target(const Plant& plant, const AimingResult& result, uint64_t seed) {
    RunConfig config = with_points(plant.config, *plant.scenario, result.points);
    config.tracing.seed = seed;
    Scenario scenario = *plant.scenario;
    Target& target = scenario.targets[0];
    if (auto* cylinder = std::get_if<CylindricalTarget>(&target.geometry)) {
        // Rows of 0.25 m as on the receiver of 4 m.
        cylinder->height += 2.0;
        config.bitmap.height += 8;
    } else {
        // Columns of 0.25 m, rows of 0.25 m.
        auto& plane = std::get<PlanarTarget>(target.geometry);
        plane.width += 2.0;
        plane.height += 2.0;
        config.bitmap.width += 8;
        config.bitmap.height += 8;
    }
    const auto job = make_job(config, scenario);
    TraceControl control;
    control.num_threads = 2;
    job->trace(0, job->num_units(), control);
    return job->result().targets.at(0);
}

/// Mirrors whose light is wide enough to pass beside the receiver.
Plant wide(Plant plant) {
    plant.config.optics.slope_error = GaussianShape{6e-3};
    return plant;
}

double half_circumference(const Plant& plant) {
    return 0.5 * surface_extent(plant.scenario->targets[0])[0];
}

}  // namespace

TEST_CASE("cells of a shield stand around those of the target, as large as they") {
    PlanarTarget plane;
    plane.width = 6.0;
    plane.height = 4.0;
    const Target target{"wall", plane};
    const BitmapConfig bitmap{12, 8, Filter::box};
    const ReceiverGrid alone = make_grid(target, 0, {}, bitmap, 3.0);
    const ReceiverGrid grid = make_grid(target, 0, {}, bitmap, 3.0, {4, 2});
    CHECK(grid.columns == 12 + 8);
    CHECK(grid.rows == 8 + 4);
    CHECK(grid.cell_width() == Approx(alone.cell_width()));
    CHECK(grid.target_width() == Approx(6.0));
    CHECK(grid.target_height() == Approx(4.0));
    CHECK(grid.width == Approx(10.0));
    CHECK(grid.margin_across + 4 == alone.margin_across);
    CHECK(grid.margin + 2 == alone.margin);
    double lit = 0.0;
    for (const double share : grid.lit_share) lit += share;
    CHECK(lit == 12 * 8);
    CHECK(*grid.cell_of_pixel(0, 0, bitmap) == grid.cell(4, 2));
    CHECK(*grid.cell_of_pixel(-4, -2, bitmap) == 0);
    CHECK(*grid.cell_of_pixel(15, 9, bitmap) == grid.num_cells() - 1);
    CHECK(!grid.cell_of_pixel(-5, 0, bitmap));
    CHECK(!grid.cell_of_pixel(0, 10, bitmap));
    // Images end the cells.
    CHECK(make_grid(target, 0, {}, bitmap, 1.0, {100, 100}).columns == 12 + 2 * 2);
    // Bitmaps with more pixels than cells: four to a cell.
    const BitmapConfig fine{128, 64, Filter::box};
    const ReceiverGrid coarse = make_grid(target, 0, {}, fine, 3.0, {5, 4});
    CHECK(coarse.columns_beyond == 2);
    CHECK(coarse.rows_beyond == 2);
    CHECK(*coarse.cell_of_pixel(-1, -1, fine) == coarse.cell(1, 1));
}

TEST_CASE("a shield keeps two heliostats from the edges, as an exhaustive search does") {
    // One image alone brings 68 W to a cell, so that both have to keep apart.
    const TwoOnALine open(72.0, kUnlimited);
    const AimSolution apart = open.solved();
    const double light = open.on_shield(apart.settings);
    REQUIRE(light > 1.0);
    REQUIRE(open.excess(apart.settings) < 1e-3);

    const TwoOnALine loose(72.0, 5.0 * light);
    const AimSolution same = loose.solved();
    for (size_t i = 0; i < 2; ++i)
        CHECK(same.settings[i].aim.y == Approx(apart.settings[i].aim.y).margin(0.02));
    CHECK(loose.power(same.settings) == Approx(open.power(apart.settings)).epsilon(1e-3));

    for (const double share : {0.7, 0.3}) {
        const TwoOnALine tight(72.0, share * light);
        const AimSolution solution = tight.solved();
        const double best = tight.best();
        CAPTURE(share, best, tight.power(solution.settings), solution.settings[0].aim.y);
        CHECK(tight.excess(solution.settings) < 1.5e-3);
        CHECK(tight.power(solution.settings) >= 0.99 * best);
        std::vector<double> prices = solution.prices;
        CHECK(power_bound(tight.aims, 0.0, 30, prices).bound >= best);
        // Nobody is left where the light was.
        for (const Setting& setting : solution.settings)
            if (setting.share > 0.0)
                CHECK(std::abs(setting.aim.y) < std::abs(apart.settings[0].aim.y));
    }
}

TEST_CASE("light on a shield is what a larger target receives more") {
    for (const bool cylinder : {true, false}) {
        Plant plant = wide(cylinder ? cylinder_plant(60) : plane_plant(40));
        if (!cylinder) plant.config.bitmap = {20, 16, Filter::box};
        const LimitFile file;
        const double half = cylinder ? half_circumference(plant) : 2.5;
        file.use(plant, table_of(half, 2.0, 1e9, 1e8));
        plant.config.aiming.strategy = Strategy::center;
        const AimingResult result = aim(plant);
        REQUIRE(result.shields.size() == 1);
        const TargetResult& shield = result.shields[0];
        const TargetResult larger = on_larger_target(plant, result, plant.config.tracing.seed);
        REQUIRE(shield.flux.size() == larger.flux.size());
        CAPTURE(cylinder, shield.power_w, result.power, larger.power_w);
        CHECK(shield.power_w > 0.0);
        // Pixels at the edge may differ by rounding.
        CHECK(shield.power_w + result.power == Approx(larger.power_w).epsilon(1e-5));
        CHECK(result.after.provenance.rays == 40'000 * std::ssize(result.points));
        REQUIRE(result.limits.size() == 2);
        CHECK(result.limits[1].place() == "shield of receiver");
        CHECK(std::isinf(
            result.limits[1].limit[result.limits[1].limit.size() / 2 + (cylinder ? 12 : 14)]));
    }
}

TEST_CASE("a limit on a shield is kept by rays, and one that does not bind changes nothing") {
    Plant plant = wide(cylinder_plant(150));
    constexpr double kLimit = 90e3;
    plant.config.aiming.flux_limit = kLimit;
    const AimingResult plain = aim(plant);
    REQUIRE(plain.limits_kept);

    const LimitFile file;
    const double half = half_circumference(plant);
    file.use(plant, table_of(half, 2.0, kLimit, 1e8));
    const AimingResult loose = aim(plant);
    CHECK(loose.limits_kept);
    CHECK(loose.power == Approx(plain.power).epsilon(2e-3));
    CHECK(loose.worst_limit_place == "receiver");
    CHECK(loose.heliostats_off == plain.heliostats_off);
    const double beside = loose.shields.at(0).peak_pixel_w_m2;
    REQUIRE(beside > 1e3);

    const double of_shield = 0.4 * beside;
    file.use(plant, table_of(half, 2.0, kLimit, of_shield));
    const AimingResult tight = aim(plant);
    CAPTURE(beside, tight.violation, tight.power, loose.power, *tight.worst_limit_share);
    CHECK(tight.limits_kept);
    CHECK(*tight.worst_limit_share <= 1.0 + 3.0 * *tight.worst_limit_share_std_error);
    CHECK(tight.shields.at(0).peak_pixel_w_m2 < 1.1 * of_shield);
    CHECK(tight.power < loose.power);
    CHECK(*tight.power_bound >= tight.power);
    CHECK(*tight.gap() < 0.05);
    double price = 0.0;
    for (const double p : tight.limits.at(1).price) price += p;
    CHECK(price > 0.0);
    // Nobody aims as near to the edges as before.
    const auto reach = [](const AimingResult& result) {
        double most = 0.0;
        for (const AimedPoint& point : result.points)
            if (point.active) most = std::max(most, std::abs(point.y));
        return most;
    };
    CHECK(reach(tight) < reach(loose));

    // Other rays, on a longer receiver.
    const TargetResult larger = on_larger_target(plant, tight, 7);
    size_t above = 0;
    for (size_t p = 0; p < larger.flux.size(); ++p) {
        const auto row = static_cast<int64_t>(p) / larger.width;
        const double limit = row < 4 || row >= larger.height - 4 ? of_shield : kLimit;
        above += larger.flux[p] > limit + 3.0 * larger.flux_std_error[p] ? 1 : 0;
    }
    CHECK(above == 0);
}

TEST_CASE("what a shield cannot keep is named") {
    Plant plant = wide(cylinder_plant(30));
    const LimitFile file;
    file.use(plant, table_of(half_circumference(plant), 2.0, 1e9, 10.0));
    plant.config.aiming.strategy = Strategy::center;
    const AimingResult result = aim(plant);
    CHECK(!result.limits_kept);
    CHECK(result.worst_limit_place == "shield of receiver");
    CHECK_THAT(result.violation, ContainsSubstring("'shield of receiver'"));
    // A table that reaches very far needs too large a map.
    file.use(plant, "x_m,y_m,flux_limit_kw_m2\n-9,-9e4,100\n9,-9e4,100\n-9,9e4,100\n9,9e4,100\n");
    CHECK_THROWS_AS(aim(plant), InputError);
}
