// SPDX-License-Identifier: MIT
// Writes surfaces, kinematics and actuators.
#include "scenario/kinematics_keys.h"
#include "scenario/type_names.h"
#include "scenario/writer/sections.h"

namespace helioray {

namespace {

void write_facet(hdf5::Group group, const Facet& facet) {
    // A plain B-spline is ARTIST's only facet and has no name there.
    if (facet.shape != FacetShape::bspline) group.write_string("shape", to_string(facet.shape));
    if (facet.shape == FacetShape::paraboloid || facet.shape == FacetShape::sphere) {
        group.write_number("focal_length", facet.focal_length);
    }
    if (facet.shape == FacetShape::bspline || !facet.control_points.empty()) {
        group.write_array("control_points",
                          facet.control_points,
                          {static_cast<size_t>(facet.num_control_points[0]),
                           static_cast<size_t>(facet.num_control_points[1]),
                           3});
    }
    group.write_array(
        "degrees", std::vector<int64_t>(facet.degrees.begin(), facet.degrees.end()), {2});
    write_vector(group, "position", facet.translation, 0.0);
    const Vec3& e = facet.canting_e;
    const Vec3& n = facet.canting_n;
    group.write_array(
        "canting", std::vector<double>{e[0], e[1], e[2], 0.0, n[0], n[1], n[2], 0.0}, {2, 4});
}

void write_actuator(hdf5::Group group, const Actuator& actuator) {
    group.write_string("type", to_string(actuator.type));
    group.write_boolean("clockwise_axis_movement", actuator.clockwise);
    group.write_array("min_max_motor_positions",
                      std::vector<double>{actuator.min_motor_position, actuator.max_motor_position},
                      {2});
    if (actuator.type != ActuatorType::linear) return;
    hdf5::Group parameters = group.create_group("parameters");
    parameters.write_number("increment", actuator.increment);
    parameters.write_number("initial_stroke_length", actuator.initial_stroke_length);
    parameters.write_number("offset", actuator.offset);
    parameters.write_number("pivot_radius", actuator.pivot_radius);
    parameters.write_number("initial_angle", actuator.initial_angle);
}

}  // namespace

void write_component(hdf5::Group group, const Surface& surface) {
    hdf5::Group facets = group.create_group("facets");
    for (const Facet& facet : surface.facets) {
        write_facet(create_named_group(facets, facet.name), facet);
    }
}

void write_component(hdf5::Group group, const Kinematics& kinematics) {
    group.write_string("type", to_string(kinematics.type));
    write_vector(group, "initial_orientation", kinematics.initial_orientation, 0.0);
    hdf5::Group deviations = group.create_group("deviations");
    for_each_deviation(kinematics.deviations, [&](const char* key, const double& value) {
        deviations.write_number(key, value);
    });
}

void write_component(hdf5::Group group, const ActuatorPair& actuators) {
    for (const Actuator& actuator : actuators) {
        write_actuator(create_named_group(group, actuator.name), actuator);
    }
}

}  // namespace helioray
