// SPDX-License-Identifier: MIT
// Wanted maps: distances from formulas, their slopes, files, and maps whose aim points are known.
#include "raytracer/results/result_file.h"
#include "raytracer/solvers/aiming/model/wanted_map.h"
#include "raytracer/solvers/aiming/search/optimize.h"
#include "scenario/files/error.h"
#include "scenario/files/hdf5/file.h"
#include "tests/raytracer/solvers/aiming/plant.h"
#include "tests/support/catch2.h"

#include <unistd.h>

#include <filesystem>
#include <limits>
#include <numeric>

using namespace helioray;
using namespace helioray::aiming;
using namespace helioray::test;
using Measure = AimingConfig::MapMeasure;

namespace {

WantedMap map_of(std::vector<double> cells, Measure measure) {
    WantedMap map;
    map.measure = measure;
    map.unit = std::accumulate(cells.begin(), cells.end(), 0.0) / static_cast<double>(cells.size());
    map.lit_shares.assign(cells.size(), 1.0);
    map.cells = std::move(cells);
    return map;
}

/// A file that is gone at the end.
struct TemporaryFile {
    std::filesystem::path path = std::filesystem::temp_directory_path() /
                                 ("helioray_wanted_" + std::to_string(::getpid()) + ".h5");
    TemporaryFile() = default;
    TemporaryFile(const TemporaryFile&) = delete;
    TemporaryFile& operator=(const TemporaryFile&) = delete;
    ~TemporaryFile() { std::filesystem::remove(path); }
};

}  // namespace

TEST_CASE("distances are those of their formulas, and count the power") {
    const std::vector<double> wanted{2.0, 6.0, 0.0, 4.0}, other{3.0, 5.0, 1.0, 3.0};
    const WantedMap square = map_of(wanted, Measure::mean_square);
    CHECK(square.distance(wanted) == 0.0);
    CHECK(square.distance(other) == Approx(std::sqrt(4.0 / 4.0) / 3.0));
    const WantedMap kl = map_of(wanted, Measure::kl);
    CHECK(kl.distance(wanted) == Approx(0.0).margin(1e-15));
    const double divergence =
        2.0 * std::log(2.0 / 3.0) + 6.0 * std::log(6.0 / 5.0) + 4.0 * std::log(4.0 / 3.0);
    CHECK(kl.distance(other) == Approx(divergence / 12.0));
    // The right shape at another power: t - 1 - log(t).
    for (const double t : {0.5, 0.9, 1.5}) {
        std::vector<double> scaled = wanted;
        for (double& value : scaled) value *= t;
        CHECK(kl.distance(scaled) == Approx(t - 1.0 - std::log(t)));
        CHECK(square.distance(scaled) == Approx(std::abs(t - 1.0) * std::sqrt(14.0) / 3.0));
    }
}

TEST_CASE("slopes of a cell's part are those of central differences, in the dark too") {
    for (const Measure measure : {Measure::mean_square, Measure::kl}) {
        WantedMap map = map_of({2.0, 6.0, 0.0, 4.0}, measure);
        map.lit_shares = {1.0, 0.5, 1.0, 0.25};
        for (size_t cell = 0; cell < 4; ++cell) {
            for (const double power : {-0.01, 1e-4, 0.0029, 0.0031, 0.5, 2.0, 9.0}) {
                const double h = 1e-7;
                const double slope =
                    (map.part(cell, power + h).value - map.part(cell, power - h).value) / (2.0 * h);
                CAPTURE(cell, power);
                CHECK(map.part(cell, power).slope == Approx(slope).epsilon(1e-5).margin(1e-7));
            }
        }
    }
}

TEST_CASE("a map that is made by known aim points is met, and they are found again") {
    const std::vector<double> sigmas{0.6, 0.9, 1.3, 1.8};
    const std::vector<double> aims{2.5, -2.0, 0.8, -0.5};
    FluxModel model;
    model.grids = {square_grid(false)};
    model.num_cells = model.grids[0].num_cells();
    AimProblem problem;
    std::vector<Setting> known;
    AimSolution start;
    for (size_t i = 0; i < sigmas.size(); ++i) {
        model.grid_of.push_back(0);
        model.images.push_back(gaussian_image(model.grids[0], {0.0, 0.0}, sigmas[i], 1000.0));
        problem.ranges.push_back({{0.0, -5.0}, {0.0, 5.0}});
        known.push_back({{0.0, aims[i]}, 1.0});
        start.settings.push_back({{0.0, 0.5 * aims[i]}, 1.0});
    }
    problem.model = &model;
    problem.limits.assign(model.num_cells, std::numeric_limits<double>::infinity());
    start.prices.assign(model.num_cells, 0.0);
    for (const Measure measure : {Measure::mean_square, Measure::kl}) {
        const WantedMap wanted = map_of(model.cells(known), measure);
        problem.wanted = &wanted;
        AimSolution found = start;
        const double before = wanted.distance(model.cells(found.settings));
        solve(problem, 1e-3, found);
        const double after = wanted.distance(model.cells(found.settings));
        CAPTURE(before, after);
        CHECK(after < 0.02 * before);
        for (size_t i = 0; i < aims.size(); ++i) {
            CHECK(found.settings[i].share == 1.0);
            CHECK(found.settings[i].aim.y == Approx(aims[i]).margin(0.05));
        }
        // Half the power of the same shape: only turning off comes near.
        WantedMap half = wanted;
        for (double& cell : half.cells) cell *= 0.5;
        half.unit *= 0.5;
        problem.wanted = &half;
        AimSolution dimmed = start;
        solve(problem, 1e-3, dimmed);
        const auto cells = model.cells(dimmed.settings);
        CHECK(half.distance(cells) < 0.7 * half.distance(model.cells(known)));
        CHECK(std::accumulate(cells.begin(), cells.end(), 0.0) < 0.8 * 4000.0);
    }
}

TEST_CASE("a wanted map of flux is met better than from the centre, in power too") {
    Plant plant = cylinder_plant(60);
    plant.config.aiming.strategy = AimingConfig::Strategy::sigma;
    plant.config.aiming.sigma_factor = 3.0;
    const AimingResult wanted = aim(plant);
    CHECK(!wanted.map_distance);
    const TemporaryFile file;
    write_result(wanted.after, file.path);
    plant.config.aiming.strategy = AimingConfig::Strategy::optimize;
    plant.config.aiming.target_map = file.path;
    for (const Measure measure : {Measure::mean_square, Measure::kl}) {
        plant.config.aiming.map_measure = measure;
        const AimingResult met = aim(plant);
        CHECK(!met.power_bound);
        REQUIRE(met.map_distance);
        CAPTURE(*met.map_distance, *met.map_distance_before);
        CHECK(*met.map_distance < 0.15 * *met.map_distance_before);
        CHECK(met.power == Approx(wanted.power).epsilon(0.01));
        // Rays say the same as the distance of the result.
        double square = 0.0, mean = 0.0;
        for (size_t p = 0; p < met.after.targets[0].flux.size(); ++p) {
            square +=
                std::pow(met.after.targets[0].flux[p] - wanted.after.targets[0].flux[p], 2) / 384.0;
            mean += wanted.after.targets[0].flux[p] / 384.0;
        }
        if (measure == Measure::mean_square)
            CHECK(*met.map_distance == Approx(std::sqrt(square) / mean).epsilon(1e-6));
    }
}

TEST_CASE("wanted maps that do not fit are refused with the key and their place") {
    Plant plant = cylinder_plant(4);
    const TemporaryFile file;
    plant.config.aiming.target_map = file.path;
    const auto refused =
        [&](const std::vector<double>& flux, const std::string& target, const std::string& words) {
            {
                hdf5::File written = hdf5::File::create(file.path);
                written.root().create_group("targets").create_group(target).write_array(
                    "flux", flux, {16, flux.size() / 16});
            }
            CHECK_THROWS_WITH(aim(plant),
                              ContainsSubstring("aiming.objective.target_map") &&
                                  ContainsSubstring("targets/receiver/flux") &&
                                  ContainsSubstring(words));
        };
    std::vector<double> flux(16 * 24, 1e3);
    refused(flux, "others", "is missing");
    refused(std::vector<double>(16 * 12, 1.0), "receiver", "(16, 12)");
    flux[30] = std::nan("");
    refused(flux, "receiver", "nan in row 1, column 6");
    flux[30] = -1.0;
    refused(flux, "receiver", "-1 in row 1, column 6");
    std::fill(flux.begin(), flux.end(), 0.0);
    {
        hdf5::File written = hdf5::File::create(file.path);
        written.root()
            .create_group("targets")
            .create_group("receiver")
            .write_array("flux", flux, {16, 24});
    }
    CHECK_THROWS_WITH(aim(plant), ContainsSubstring("no light"));
}
