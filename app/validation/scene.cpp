// SPDX-License-Identifier: MIT
// Builds scenes in memory.
#include "app/validation/scene.h"

#include "scenario/files/units.h"
#include "scenario/types/vector_math.h"

#include <fmt/format.h>

#include <numbers>

namespace helioray::validation {

namespace {

std::shared_ptr<const Surface> make_surface(const Mirror& mirror, const Vec3& aim) {
    Facet facet;
    facet.name = "facet";
    facet.shape = mirror.shape;
    if (mirror.shape != FacetShape::flat) {
        facet.focal_length =
            mirror.focal_length > 0.0 ? mirror.focal_length : norm(subtract(aim, mirror.position));
    }
    facet.canting_e = {0.5 * mirror.width, 0.0, 0.0};
    facet.canting_n = {0.0, 0.5 * mirror.height, 0.0};
    return std::make_shared<const Surface>(Surface{{facet}});
}

std::shared_ptr<const ActuatorPair> ideal_drives() {
    Actuator drive;
    drive.type = ActuatorType::ideal;
    drive.min_motor_position = -2.0 * std::numbers::pi;
    drive.max_motor_position = 2.0 * std::numbers::pi;
    ActuatorPair drives{drive, drive};
    drives[0].name = "azimuth";
    drives[1].name = "elevation";
    return std::make_shared<const ActuatorPair>(drives);
}

}  // namespace

SunAngles sun_at(double azimuth_deg, double zenith_deg) {
    return {azimuth_deg * kRadiansPerDegree, (90.0 - zenith_deg) * kRadiansPerDegree};
}

std::string mirror_name(size_t index) {
    return fmt::format("H{:04}", index);
}

Scene make_scene(const std::vector<Mirror>& mirrors,
                 const PlanarTarget& target,
                 const SunAngles& sun,
                 const SunShape& sun_shape,
                 const ErrorShape& slope_error) {
    Scene scene;
    scene.scenario.targets.push_back({"receiver", target});
    const auto drives = ideal_drives();
    Kinematics kinematics;
    kinematics.type = KinematicsType::azimuth_elevation;
    const auto shared_kinematics = std::make_shared<const Kinematics>(kinematics);
    for (size_t i = 0; i < mirrors.size(); ++i) {
        Heliostat heliostat;
        heliostat.name = mirror_name(i);
        heliostat.id = static_cast<int64_t>(i);
        heliostat.position = mirrors[i].position;
        heliostat.surface = make_surface(mirrors[i], target.center);
        heliostat.kinematics = shared_kinematics;
        heliostat.actuators = drives;
        scene.scenario.heliostats.push_back(std::move(heliostat));
    }
    RunConfig& config = scene.config;
    config.sun.position = sun;
    config.sun.shape = sun_shape;
    config.aim.target = "receiver";
    config.optics.reflectivity = 1.0;
    config.optics.slope_error = slope_error;
    config.tracing.shading = false;
    config.tracing.blocking = false;
    config.bitmap.width = config.bitmap.height = 100;
    return scene;
}

PlanarTarget overhead_target() {
    return {{0.0, 0.0, 500.0}, {0.0, 0.0, -1.0}, 8.0, 8.0};
}

Scene on_axis_scene(const SunShape& sun_shape, const ErrorShape& slope_error) {
    return make_scene({Mirror{}}, overhead_target(), sun_at(180.0, 0.0), sun_shape, slope_error);
}

}  // namespace helioray::validation
