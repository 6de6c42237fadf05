// SPDX-License-Identifier: MIT
// Fields that several targets share: divisions against exhaustive search, traced plants, series.
#include "raytracer/solvers/aiming/search/target_shares.h"
#include "tests/distributed/rank_runner.h"
#include "tests/raytracer/solvers/aiming/plant.h"
#include "tests/support/catch2.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <random>

using namespace helioray;
using namespace helioray::aiming;
using namespace helioray::test;
using Strategy = AimingConfig::Strategy;

namespace {

PowerTable random_table(size_t heliostats, size_t targets, unsigned seed) {
    std::mt19937 generator(seed);
    PowerTable table{targets, {}};
    while (table.watts.size() < heliostats * targets)
        table.watts.push_back(0.3 + 0.7 * static_cast<double>(generator()) / 4294967296.0);
    return table;
}

/// The most that any division gives, by trying all of them.
double most_shared(const PowerTable& table, const std::vector<double>& shares) {
    size_t divisions = 1;
    for (size_t i = 0; i < table.num_heliostats(); ++i) divisions *= table.num_targets;
    double most = 0.0;
    for (size_t d = 0; d < divisions; ++d) {
        std::vector<double> watts(table.num_targets, 0.0);
        size_t rest = d;
        for (size_t i = 0; i < table.num_heliostats(); ++i) {
            watts[rest % table.num_targets] += table.at(i, rest % table.num_targets);
            rest /= table.num_targets;
        }
        most = std::max(most, shared_power(watts, shares));
    }
    return most;
}

double sum(const std::vector<double>& values) {
    double total = 0.0;
    for (const double value : values) total += value;
    return total;
}

/// Planes around the tower of plant.h, 4 m x 4 m, by name and the bearing of their fronts.
Plant plant_with(int count, const std::map<std::string, double>& bearings) {
    Plant plant = cylinder_plant(count);
    Scenario scenario = *plant.scenario;
    scenario.targets.clear();
    for (const auto& [name, degrees] : bearings) {
        const double bearing = degrees * 3.14159265358979 / 180.0;
        PlanarTarget plane;
        plane.normal = {std::sin(bearing), std::cos(bearing), 0.0};
        plane.center = {2.0 * plane.normal[0], 2.0 * plane.normal[1], 40.0};
        plane.width = plane.height = 4.0;
        scenario.targets.push_back({name, plane});
    }
    plant.scenario = std::make_shared<const Scenario>(std::move(scenario));
    plant.config.aim.target = bearings.begin()->first;
    plant.config.tracing.rays_per_heliostat = 4'000;
    plant.config.aiming.strategy = Strategy::center;
    return plant;
}

double largest_power(const AimingResult& result) {
    double most = 0.0;
    for (const HeliostatResult& one : result.after.heliostats)
        most = std::max(most, one.energy.target_power);
    return most;
}

}  // namespace

TEST_CASE("a divided field has the most power of which every target gets its share") {
    for (unsigned seed = 1; seed <= 8; ++seed) {
        for (const std::vector<double>& shares : {std::vector<double>{0.4, 0.6},
                                                  std::vector<double>{0.85, 0.15},
                                                  std::vector<double>{0.5, 0.3, 0.2}}) {
            const PowerTable table = random_table(shares.size() == 2 ? 10 : 8, shares.size(), seed);
            const FieldDivision division = divide_field(table, shares);
            CAPTURE(seed, shares);
            const double shared = shared_power(division.watts, shares);
            const double most = most_shared(table, shares);
            CHECK(shared >= most * (1.0 - 1e-6));
            CHECK(division.bound >= most * (1.0 - 1e-12));
            std::vector<double> watts(shares.size(), 0.0);
            for (size_t i = 0; i < table.num_heliostats(); ++i)
                watts[division.target_of[i]] += table.at(i, division.target_of[i]);
            for (size_t t = 0; t < shares.size(); ++t)
                CHECK(watts[t] == Approx(division.watts[t]).epsilon(1e-12));
        }
    }
}

TEST_CASE("a large field meets shares to within half of one heliostat, at its bound") {
    const std::vector<double> shares{0.5, 0.3, 0.2};
    const PowerTable table = random_table(2000, 3, 3);
    const FieldDivision division = divide_field(table, shares);
    const double total = sum(division.watts);
    for (size_t t = 0; t < 3; ++t) CHECK(std::abs(division.watts[t] - shares[t] * total) < 0.5);
    const double shared = shared_power(division.watts, shares);
    CHECK(shared <= division.bound);
    CHECK(shared > 0.999 * division.bound);
    // The nearer of two targets in a symmetric field: nobody gains by an exchange.
    PowerTable symmetric{2, {}};
    for (int i = 0; i < 100; ++i) {
        const double near = 1.0, far = 0.2 + 0.007 * i;
        symmetric.watts.insert(symmetric.watts.end(), {near, far, far, near});
    }
    const FieldDivision half = divide_field(symmetric, std::vector<double>{0.5, 0.5});
    for (size_t i = 0; i < 200; ++i) CHECK(half.target_of[i] == i % 2);
    CHECK(half.bound == Approx(200.0).epsilon(1e-3));
    // Equal heliostats: counts by the shares.
    const PowerTable equal{3, std::vector<double>(300, 2.0)};
    CHECK(divide_field(equal, shares).watts == std::vector<double>{100.0, 60.0, 40.0});
}

TEST_CASE("what one target cannot get is divided among the others by their shares") {
    // Every tenth heliostat brings something to the first target, nobody to the last.
    PowerTable table = random_table(400, 4, 5);
    double most = 0.0;
    for (size_t i = 0; i < 400; ++i) {
        table.watts[4 * i + 3] = 0.0;
        if (i % 10 != 0) table.watts[4 * i] = 0.0;
        most += table.watts[4 * i];
    }
    const FieldDivision division = divide_field(table, std::vector<double>{0.4, 0.2, 0.3, 0.1});
    CHECK(division.watts[0] == Approx(most));
    CHECK(division.watts[3] == 0.0);
    CHECK(division.watts[2] / division.watts[1] == Approx(1.5).epsilon(0.02));
    CHECK(division.bound == 0.0);
    // Nothing anywhere.
    const FieldDivision dark =
        divide_field({2, std::vector<double>(6, 0.0)}, std::vector<double>{0.5, 0.5});
    CHECK(dark.target_of == std::vector<size_t>(3, FieldDivision::kNowhere));
}

TEST_CASE("two equal receivers get one half each, from the heliostats in front of them") {
    Plant plant = plant_with(80, {{"east", 90.0}, {"west", 270.0}});
    plant.config.sun.position = SunAngles{3.14159265358979, 0.9};
    plant.config.aiming.target_shares = {{"east", 0.5}, {"west", 0.5}};
    const AimingResult result = aim(plant);
    REQUIRE(result.shares.size() == 2);
    CAPTURE(result.shares[0].reached, result.violation);
    CHECK(result.shares_met == true);
    CHECK(result.violation.empty());
    CHECK(std::abs(result.shares[0].reached - 0.5) * result.power < largest_power(result));
    for (const AimedPoint& point : result.points) {
        const double east = plant.scenario->heliostats[point.aim.heliostat].position[0];
        if (std::abs(east) > 8.0) {
            CHECK(plant.scenario->targets[point.aim.target].name == (east > 0.0 ? "east" : "west"));
        }
    }
}

TEST_CASE("all strategies meet the shares of three receivers, with limits too") {
    Plant plant = plant_with(150, {{"east", 90.0}, {"north", 0.0}, {"west", 270.0}});
    plant.config.aiming.target_shares = {{"north", 0.5}, {"east", 0.3}, {"west", 0.2}};
    const double peak = aim(plant).peak_flux;
    for (const Strategy strategy : {Strategy::center,
                                    Strategy::equator,
                                    Strategy::image_size,
                                    Strategy::sigma,
                                    Strategy::optimize}) {
        plant.config.aiming.strategy = strategy;
        if (strategy == Strategy::optimize) plant.config.aiming.flux_limit = 0.6 * peak;
        const AimingResult result = aim(plant);
        CAPTURE(static_cast<int>(strategy), result.violation);
        REQUIRE(result.shares.size() == 3);
        CHECK(result.shares_met == true);
        for (const TargetShare& share : result.shares) {
            CAPTURE(share.target, share.reached, share.wanted);
            CHECK(share.wanted == plant.config.aiming.target_shares.at(share.target));
            CHECK(share.wanted - share.reached <=
                  std::max(0.01, 0.5 * largest_power(result) / result.power));
            CHECK(find_target(result.after, share.target)->power_w ==
                  Approx(share.reached * result.power));
        }
        CHECK(result.power_bound.has_value() == (strategy == Strategy::optimize));
    }
}

TEST_CASE("a share that nobody can bring is a violation that names the target") {
    Plant plant = plant_with(60, {{"north", 0.0}, {"south", 180.0}});
    // Only a few heliostats stand in front of the southern receiver.
    plant.config.aim.active.emplace();
    int in_south = 0;
    for (const Heliostat& one : plant.scenario->heliostats)
        if (one.position[1] > 5.0 || (one.position[1] < -5.0 && in_south++ < 4))
            plant.config.aim.active->push_back(one.name);
    REQUIRE(in_south >= 4);
    plant.config.aiming.target_shares = {{"north", 0.4}, {"south", 0.6}};
    const AimingResult result = aim(plant);
    CHECK(result.shares_met == false);
    CHECK(result.limits_kept);
    CHECK_THAT(result.violation,
               ContainsSubstring("target 'south' gets") && ContainsSubstring("instead of 60.0 %"));
    size_t south = 0;
    for (const AimedPoint& point : result.points) south += point.aim.target == 1 ? 1 : 0;
    CHECK(south == 4);
    CHECK(result.heliostats_off == 0);
}

TEST_CASE("motor positions and targets without a share stay") {
    Plant plant = plant_with(40, {{"east", 90.0}, {"north", 0.0}, {"west", 270.0}});
    plant.config.aiming.target_shares = {{"east", 0.5}, {"west", 0.5}};
    plant.config.aim.target = "east";
    const std::string& other = plant.scenario->heliostats[3].name;
    const std::string& still = plant.scenario->heliostats[7].name;
    plant.config.aim.heliostats[other].target = "north";
    plant.config.aim.heliostats[still].motor_positions = std::array<double, 2>{0.3, 0.4};
    const AimingResult result = aim(plant);
    CHECK(result.points[3].aim.target == 1);
    CHECK(result.points[7].aim.target == 0);
    CHECK(result.points[7].aim.motor_positions.has_value());
    CHECK(result.shares_met == true);
    double reached = 0.0;
    for (const TargetShare& share : result.shares) reached += share.reached;
    CHECK(reached == Approx(1.0));
}

TEST_CASE("a later step keeps the targets of the steps before") {
    Plant plant = plant_with(60, {{"east", 90.0}, {"west", 270.0}});
    plant.config.aiming.target_shares = {{"east", 0.5}, {"west", 0.5}};
    const AimingResult first = aim(plant);
    StepBefore before{first.points, first.limits, {}};
    for (const AimedPoint& point : first.points)
        before.targets[point.aim.heliostat] = point.aim.target;
    plant.config.sun.position = SunAngles{1.6, 0.4};
    const AimingResult second = aim_next(plant, before);
    REQUIRE(second.points.size() == first.points.size());
    for (size_t i = 0; i < first.points.size(); ++i)
        CHECK(second.points[i].aim.target == first.points[i].aim.target);
    // The sun stands in the east, so that the mirrors in the west face it.
    CHECK(second.shares[1].reached > 0.56);
    CHECK(second.shares_met == false);
    CHECK_THAT(second.violation, ContainsSubstring("keeps the targets of its first step"));
}

TEST_CASE("shares do not depend on threads and ranks") {
    Plant plant = plant_with(60, {{"east", 90.0}, {"west", 270.0}});
    plant.config.aiming.target_shares = {{"east", 0.35}, {"west", 0.65}};
    const std::string one = aim(plant, 1).after.provenance.fingerprint;
    CHECK(aim(plant, 3).after.provenance.fingerprint == one);
}
