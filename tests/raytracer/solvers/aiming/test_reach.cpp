// SPDX-License-Identifier: MIT
// Aim points that drives can take.
#include "raytracer/tracing/geometry/frames.h"
#include "raytracer/tracing/kinematics/alignment.h"
#include "scenario/types/vector_math.h"
#include "tests/raytracer/solvers/aiming/plant.h"
#include "tests/support/catch2.h"

#include <algorithm>

using namespace helioray;
using namespace helioray::aiming;
using namespace helioray::test;

namespace {

AlignedMirror aligned(const Plant& plant, size_t heliostat, const Vec3& point) {
    const std::vector<size_t> one{heliostat};
    const Vec3 incident =
        scaled(-1.0, direction_to_sun(plant.config.sun, plant.scenario->position));
    return align_to_aim_points(
               kinematics_records(*plant.scenario, one), {&incident, 1}, {&point, 1}, 1)
        .mirrors[0];
}

/// The elevation of the mirror that brings the light `up` metres above the middle.
double elevation(const Plant& plant, size_t heliostat, double up) {
    const Target& target = plant.scenario->targets[0];
    const SurfacePoint middle =
        unrolled(target, default_aim_point(target, plant.scenario->heliostats[heliostat].position));
    return aligned(plant, heliostat, surface_point(target, middle.x, middle.y + up))
        .motor_positions[1];
}

size_t outside(const Plant& plant, const AimingResult& result) {
    return static_cast<size_t>(
        std::count_if(result.points.begin(), result.points.end(), [&](const AimedPoint& point) {
            const AlignedMirror mirror = aligned(plant, point.aim.heliostat, point.aim.point);
            return point.active && !(mirror.within_limits[0] && mirror.within_limits[1]);
        }));
}

}  // namespace

TEST_CASE("motor limits keep aim points in reach, and what reaches nothing stays off") {
    for (const bool cylinder : {true, false}) {
        Plant plant = cylinder ? cylinder_plant(60) : plane_plant(30);
        plant.config.aiming.flux_limit = cylinder ? 60e3 : 45e3;
        const AimingResult free = aim(plant);
        CHECK(outside(plant, free) == 0);

        // Every mirror can bring its light half a metre above the middle at most; the fourth one
        // has no way at all to turn to the receiver.
        constexpr double kMost = 0.5;
        Scenario limited = *plant.scenario;
        for (size_t i = 0; i < limited.heliostats.size(); ++i) {
            auto drives = std::make_shared<ActuatorPair>(*limited.heliostats[i].actuators);
            const double highest = elevation(plant, i, kMost);
            const bool rises = highest > elevation(plant, i, 0.0);
            (rises ? (*drives)[1].max_motor_position : (*drives)[1].min_motor_position) = highest;
            if (i == 3) {
                (*drives)[1].min_motor_position = 1.5;
                (*drives)[1].max_motor_position = 1.55;
            }
            limited.heliostats[i].actuators = drives;
        }
        plant.scenario = std::make_shared<const Scenario>(std::move(limited));
        CHECK(outside(plant, free) > 5);
        for (const auto strategy :
             {AimingConfig::Strategy::optimize, AimingConfig::Strategy::sigma}) {
            plant.config.aiming.strategy = strategy;
            const AimingResult kept = aim(plant);
            CAPTURE(cylinder, kept.violation);
            CHECK(outside(plant, kept) == 0);
            CHECK_FALSE(kept.points[3].active);
            CHECK(kept.heliostats_off < 10);
            double highest = -10.0;
            for (const AimedPoint& point : kept.points)
                if (point.active) highest = std::max(highest, point.y);
            // What is left unused is less than the distance of the points that are tried.
            CHECK(highest <= kMost + 1e-6);
            CHECK(highest > kMost - 0.3);
            if (strategy == AimingConfig::Strategy::optimize) {
                CHECK(kept.limits_kept);
                CHECK(*kept.power_bound >= kept.power);
                CHECK(kept.power < free.power);
            }
        }
    }
}
