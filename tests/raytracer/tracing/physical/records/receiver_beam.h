// SPDX-License-Identifier: MIT
// A beam of parallel light on the surfaces of a receiver, and its power on them.
#pragma once

#include "tests/raytracer/tracing/physical/run.h"
#include "tests/support/catch2.h"

#include <string>
#include <vector>

namespace helioray::test {

/// Returns a surface of receiver "tower".
inline Target surface(const std::string& name,
                      const TargetShape& shape,
                      SurfaceUse use = SurfaceUse::absorber) {
    return {name, shape, "tower", use, {}};
}

/// Gives a scene the surfaces of receiver "tower" as its targets; heliostats aim at the origin.
inline void use_receiver(validation::Scene& scene, const std::vector<Target>& surfaces) {
    scene.scenario.targets = surfaces;
    scene.scenario.receivers = {{"tower", std::nullopt}};
    scene.config.aim.target = surfaces.front().name;
    scene.config.aim.point = Vec3{0, 0, 0};
}

/// Area of a beam with the usual mirror, m2.
inline constexpr double kBeam = 16.0;

/// A flat square mirror of `side` metres 100 m south of the origin sends the sun's light straight
/// to the north: an upright square that falls on the given surfaces.
inline validation::Scene beam(const std::vector<Target>& surfaces,
                              int64_t rays,
                              double side = 4.0) {
    using namespace validation;
    Scene scene = make_scene({Mirror{{0, -100, 0}, side, side, FacetShape::flat}},
                             {{0, 0, 0}, {0, -1, 0}, 8.0, 8.0},
                             sun_at(0.0, 89.99),
                             CollimatedShape{},
                             NoError{});
    scene.config.tracing.rays_per_heliostat = rays;
    use_receiver(scene, surfaces);
    return scene;
}

inline const TargetResult& find(const RunResult& result, const std::string& name) {
    const TargetResult* found = find_target(result, name);
    REQUIRE(found != nullptr);
    return *found;
}

/// Returns the power on the mirrors, which reflect all of it.
inline double reflected(const RunResult& result) {
    double power = 0.0;
    for (const HeliostatResult& heliostat : result.heliostats)
        power += heliostat.energy.solar_power - heliostat.energy.cosine_loss;
    return power;
}

/// Returns the area of the beam that falls on the front of a surface, m2.
inline double lit_area(const RunResult& result, const std::string& name) {
    return kBeam * find(result, name).power_w / reflected(result);
}

}  // namespace helioray::test
