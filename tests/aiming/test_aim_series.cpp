// SPDX-License-Identifier: MIT
// Aim points from one position of the sun to the next: warm start, ways, availability.
#include "tests/aiming/plant.h"
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
