// SPDX-License-Identifier: MIT
// Aim points from one position of the sun to the next: warm start, ways, availability.
#include "tests/raytracer/solvers/aiming/plant.h"
#include "tests/support/catch2.h"

#include <algorithm>
#include <cmath>

using namespace helioray;
using namespace helioray::aiming;
using namespace helioray::test;

namespace {

double way(const AimedPoint& a, const AimedPoint& b) {
    return std::hypot(a.x - b.x, a.y - b.y);
}

double longest_way(const AimingResult& from, const AimingResult& to) {
    double longest = 0.0;
    for (size_t i = 0; i < from.points.size(); ++i)
        longest = std::max(longest, way(from.points[i], to.points[i]));
    return longest;
}

/// Heliostats that were on and are: how many have stayed, and how many have moved by less than
/// this.
struct Moves {
    size_t stayed = 0, less = 0, more = 0;

    Moves(const AimingResult& from, const AimingResult& to, double least) {
        for (size_t i = 0; i < from.points.size(); ++i) {
            if (!from.points[i].active || !to.points[i].active) continue;
            const double moved = way(from.points[i], to.points[i]);
            const bool is_same = from.points[i].aim.point == to.points[i].aim.point;
            ++(is_same ? stayed : moved < least ? less : more);
        }
    }
};

}  // namespace

TEST_CASE("a warm start keeps the limits with less work than a cold one, and no less power") {
    Plant plant = cylinder_plant(150);
    plant.config.aiming.flux_limit = 125e3;
    const AimingResult first = aim(plant);
    plant.config.sun.position = SunAngles{3.2, 0.92};
    const AimingResult cold = aim(plant);
    const AimingResult warm = aim_next(plant, {first.points, first.limits, {}});
    CAPTURE(cold.iterations, warm.iterations, cold.power, warm.power);
    CHECK(warm.limits_kept);
    CHECK(warm.iterations < cold.iterations);
    CHECK(warm.traces <= cold.traces);
    CHECK(warm.power > 0.99 * cold.power);
    CHECK(*warm.power_bound >= warm.power - 3.0 * warm.power_std_error);
    CHECK(warm.follows);
    CHECK(!cold.follows);
}

TEST_CASE("no aim point moves further than it may, on cylinders and planes") {
    for (const bool cylinder : {true, false}) {
        Plant plant = cylinder ? cylinder_plant(80) : plane_plant(30);
        // Limits of the plane that leave most heliostats on: where five of 30 remain, each a fifth
        // of the power, luck decides which way brings more.
        plant.config.aiming.flux_limit = cylinder ? 67e3 : 70e3;
        const AimingResult first = aim(plant);
        plant.config.sun.position = SunAngles{4.2, 0.6};
        plant.config.aiming.flux_limit = cylinder ? 59e3 : 58e3;
        const AimingResult free = aim_next(plant, {first.points, first.limits, {}});
        constexpr double kMost = 0.05;
        const AimingResult bound = aim_next(plant, {first.points, first.limits, kMost});
        CAPTURE(cylinder, bound.violation, longest_way(first, free));
        CHECK(longest_way(first, free) > kMost);
        CHECK(longest_way(first, bound) <= kMost + 1e-9);
        CHECK(longest_way(first, bound) > 0.5 * kMost);
        CHECK(bound.limits_kept);
        // What cannot move away is turned off.
        CHECK(bound.power <= free.power * 1.005);
        if (!cylinder) CHECK(bound.heliostats_off > free.heliostats_off);
    }
}

TEST_CASE("heliostats that were not available begin anywhere") {
    Plant plant = cylinder_plant(60);
    plant.config.aiming.flux_limit = 60e3;
    plant.config.aim.active.emplace();
    for (size_t i = 10; i < 60; ++i)
        plant.config.aim.active->push_back(plant.scenario->heliostats[i].name);
    const AimingResult first = aim(plant);
    REQUIRE(first.points.size() == 50);
    plant.config.aim.active.reset();
    const AimingResult all = aim_next(plant, {first.points, first.limits, 0.0});
    REQUIRE(all.points.size() == 60);
    CHECK(all.limits_kept);
    double moved = 0.0;
    for (size_t i = 0; i < 10; ++i) moved = std::max(moved, std::abs(all.points[i].y));
    CHECK(moved > 0.01);
    for (size_t i = 10; i < 60; ++i) CHECK(way(all.points[i], first.points[i - 10]) < 1e-9);
}

TEST_CASE("aim points that would move little stay, unless the limits want them to move") {
    constexpr double kLeast = 0.15;
    for (const bool cylinder : {true, false}) {
        Plant plant = cylinder ? cylinder_plant(150) : plane_plant(100);
        plant.config.aiming.flux_limit = cylinder ? 125e3 : 120e3;
        const AimingResult first = aim(plant);
        plant.config.sun.position = SunAngles{3.1, 0.91};
        const StepBefore before{first.points, first.limits, std::nullopt};
        const AimingResult free = aim_next(plant, before);
        plant.config.aiming.min_move = kLeast;
        const AimingResult held = aim_next(plant, before);
        const Moves free_moves(first, free, kLeast), moves(first, held, kLeast);
        CAPTURE(cylinder, free.power, held.power, *held.power_bound, free_moves.stayed);
        CAPTURE(free_moves.less, free_moves.more, moves.stayed, moves.less, moves.more);
        CHECK(held.limits_kept);
        CHECK(held.power > 0.99 * free.power);
        CHECK(free_moves.less > 90);
        CHECK(moves.less < free_moves.less / 10);
        CHECK(moves.stayed > 80);
        // A rule does not ask limits: nobody moves a little.
        plant.config.aiming.strategy = AimingConfig::Strategy::image_size;
        CHECK(Moves(first, aim_next(plant, before), kLeast).less == 0);
    }
}

TEST_CASE("held aim points let the limits decide") {
    // In a fifth more light, what was just within the limits is above them.
    constexpr double kLeast = 100.0;
    Plant plant = cylinder_plant(60);
    plant.config.aiming.flux_limit = 60e3;
    const AimingResult first = aim(plant);
    plant.config.sun.dni *= 1.2;
    plant.config.aiming.min_move = kLeast;
    const AimingResult held = aim_next(plant, {first.points, first.limits, std::nullopt});
    CHECK(held.limits_kept);
    CHECK(*held.worst_limit_share_before > 1.1);
    CHECK(Moves(first, held, kLeast).less > 0);
    // In the same light everybody stays.
    plant.config.sun.dni /= 1.2;
    const AimingResult same = aim_next(plant, {first.points, first.limits, std::nullopt});
    CHECK(Moves(first, same, kLeast).less <= 6);
    CHECK(same.limits_kept);
}
