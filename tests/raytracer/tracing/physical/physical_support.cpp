// SPDX-License-Identifier: MIT
// Plants made in memory for tests of model physical.
#include "tests/raytracer/tracing/physical/physical_support.h"

#include <fmt/format.h>

#include <cmath>

namespace helioray::test {

Scenario wall_scenario(size_t count, double side, double extent) {
    Scenario scenario;
    PlanarTarget wall;
    wall.normal = {0.0, 1.0, 0.0};
    wall.width = wall.height = extent;
    scenario.targets.push_back({"wall", wall});

    Facet facet;
    facet.name = "facet";
    facet.shape = FacetShape::flat;
    facet.canting_e = {0.5 * side, 0.0, 0.0};
    facet.canting_n = {0.0, 0.5 * side, 0.0};
    auto surface = std::make_shared<Surface>();
    surface->facets.push_back(facet);
    auto kinematics = std::make_shared<Kinematics>();
    kinematics->type = KinematicsType::azimuth_elevation;
    auto actuators = std::make_shared<ActuatorPair>();
    (*actuators)[0].name = "azimuth";
    (*actuators)[1].name = "elevation";
    scenario.prototypes = {surface, kinematics, actuators};
    for (size_t i = 0; i < count; ++i) {
        scenario.heliostats.push_back({fmt::format("H{:03}", i),
                                       static_cast<int64_t>(i),
                                       {0.0, 100.0, 0.0},
                                       surface,
                                       kinematics,
                                       actuators});
    }
    return scenario;
}

RunConfig wall_config() {
    RunConfig config;
    config.sun.position = SunIncidentDirection{{0.0, 0.5, -std::sqrt(0.75)}};
    config.sun.shape = CollimatedShape{};
    config.aim.target = "wall";
    config.optics.reflectivity = 1.0;
    config.tracing.shading = false;
    config.tracing.blocking = false;
    config.bitmap.width = config.bitmap.height = 64;
    return config;
}

RunResult trace_all(TraceJob& job, int num_threads) {
    TraceControl control;
    control.num_threads = num_threads;
    job.trace(0, job.num_units(), control);
    return job.result();
}

RunResult trace_rounds(TraceJob& job) {
    const TraceControl control;
    for (int64_t begin = 0; const int64_t end : job.round_ends()) {
        job.trace(begin, end, control);
        if (end < job.num_units() && job.is_accurate_enough(job.interim_sums())) break;
        begin = end;
    }
    return job.result();
}

}  // namespace helioray::test
