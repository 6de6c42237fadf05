// SPDX-License-Identifier: MIT
// Scenarios built in code.
#include "tests/scenario/sample_scenario.h"

#include <cmath>
#include <numbers>

namespace helioray::test {

namespace {

Facet spline_facet(const std::string& name, double height) {
    Facet facet;
    facet.name = name;
    facet.num_control_points = {4, 3};
    facet.degrees = {3, 2};
    for (int i = 0; i < 4; ++i) {
        for (int j = 0; j < 3; ++j) {
            facet.control_points.insert(facet.control_points.end(),
                                        {-0.8 + 1.6 * i / 3, -0.6 + 1.2 * j / 2, height * (i + j)});
        }
    }
    facet.translation = {-0.8075, 0.6425, 0.0402};
    facet.canting_e = {0.8, 0.0, -0.005};
    facet.canting_n = {0.0, 0.6, 0.003};
    return facet;
}

Facet simple_facet(const std::string& name, FacetShape shape) {
    Facet facet = spline_facet(name, 0.0);
    facet.shape = shape;
    facet.control_points.clear();
    facet.num_control_points = {0, 0};
    if (shape != FacetShape::flat) facet.focal_length = 50.1;
    return facet;
}

ActuatorPair ideal_pair() {
    ActuatorPair pair;
    pair[0] = {.name = "actuator_1", .max_motor_position = 60000.0};
    pair[1] = {.name = "actuator_2", .clockwise = true, .max_motor_position = 80000.0};
    return pair;
}

ActuatorPair linear_pair() {
    ActuatorPair pair = ideal_pair();
    for (Actuator& actuator : pair) {
        actuator.type = ActuatorType::linear;
        actuator.increment = 154166.6667;
        actuator.initial_stroke_length = 0.0774;
        actuator.offset = 0.335308;
        actuator.pivot_radius = 0.338095;
        actuator.initial_angle = 0.039;
    }
    return pair;
}

Kinematics rigid_body() {
    Kinematics kinematics;
    kinematics.deviations.first_joint_translation = {0.01, 0.02, 0.03};
    kinematics.deviations.second_joint_translation = {0.04, 0.05, 0.06};
    kinematics.deviations.concentrator_translation = {0.07, 0.175, 0.09};
    kinematics.deviations.first_joint_tilt_n = 0.1;
    kinematics.deviations.first_joint_tilt_u = 0.2;
    kinematics.deviations.second_joint_tilt_e = 0.3;
    kinematics.deviations.second_joint_tilt_n = 0.4;
    return kinematics;
}

template <typename T>
std::shared_ptr<const T> shared(T component) {
    return std::make_shared<const T>(std::move(component));
}

}  // namespace

Scenario plain_scenario() {
    Scenario scenario;
    scenario.position = {50.913421122592574, 6.387824755874856, 87.0};
    scenario.targets = {
        {"wall", PlanarTarget{{0, -3, 43}, {0, 1, 0}, 8.6, 7.2}},
        {"receiver",
         CylindricalTarget{
             {0, -3.75, 56.7}, {0, 0, 1}, {0, 1, 0}, 4.14, 5.2, std::numbers::pi / 3}},
    };
    scenario.light_sources = {{"sun", 10, 0.0, GaussianShape{0.00209}}};
    scenario.prototypes = {
        shared(Surface{{spline_facet("facet_1", 0.0), spline_facet("facet_2", 0.0)}}),
        shared(rigid_body()),
        shared(ideal_pair())};
    const Prototypes& shared_ones = scenario.prototypes;
    Kinematics other = rigid_body();
    other.deviations.first_joint_tilt_n = -0.1;
    scenario.heliostats = {
        {"h1", 7, {0, 25, 1.5}, shared_ones.surface, shared_ones.kinematics, shared_ones.actuators},
        {"h2",
         8,
         {-10, 35, 1.6},
         shared(Surface{{spline_facet("facet_1", 1e-3), spline_facet("facet_2", 2e-3)}}),
         shared(other),
         shared(linear_pair())},
    };
    return scenario;
}

Scenario rich_scenario() {
    Scenario scenario = plain_scenario();
    scenario.version = 1.25;
    const double s = std::sqrt(0.5);
    scenario.targets.insert(scenario.targets.begin(),
                            {{"ceiling", PlanarTarget{{0, 0, 60}, {0, 0, -1}, 2, 3}},
                             {"slope", PlanarTarget{{1, 2, 50}, {s, 0, -s}, 4, 5}}});
    CylindricalTarget cavity{{0, 0, 80}, {1, 0, 0}, {0, s, -s}, 2, 3, 2 * std::numbers::pi};
    cavity.side = CylindricalTarget::Side::inner;
    scenario.targets.insert(scenario.targets.begin() + 3, {"cavity", cavity});
    scenario.light_sources = {{"a", 1, 0.001, GaussianShape{0.0021}},
                              {"b", 2, 0.0, PillboxShape{0.00465}},
                              {"c", 3, 0.0, BuieShape{0.05}},
                              {"d", 4, 0.0, LimbDarkenedShape{}},
                              {"e", 5, 0.0, CollimatedShape{}},
                              {"f", 6, 0.0, TableShape{{0.0, 0.004, 0.02}, {1.0, 0.5, 0.0}}}};

    Kinematics azimuth_elevation;
    azimuth_elevation.type = KinematicsType::azimuth_elevation;
    azimuth_elevation.deviations.concentrator_translation = {0.0, 0.1, 0.2};
    const Prototypes& prototypes = scenario.prototypes;
    Heliostat heliostat{"h3", 9, {1, 2, 3}, nullptr, nullptr, prototypes.actuators};
    heliostat.surface = shared(Surface{{simple_facet("flat", FacetShape::flat),
                                        simple_facet("paraboloid", FacetShape::paraboloid),
                                        simple_facet("sphere", FacetShape::sphere),
                                        spline_facet("spline", 0.0)}});
    heliostat.kinematics = shared(azimuth_elevation);
    scenario.heliostats.push_back(heliostat);
    heliostat.name = "ä4";
    scenario.heliostats.push_back(heliostat);
    return scenario;
}

Scenario outlined_scenario() {
    Scenario scenario = plain_scenario();
    Surface surface{{simple_facet("a", FacetShape::paraboloid),
                     simple_facet("b", FacetShape::flat),
                     spline_facet("c", 0.1)}};
    surface.facets[0].outline = {FacetOutlineKind::round, 0.25, {}};
    surface.facets[1].outline = {
        FacetOutlineKind::polygon, 0.0, {{1.0, 0.0}, {0.0, 1.0}, {-1.0, 0.0}, {0.0, -0.5}}};
    for (const double elevation : {0.0, 0.5, 1.25}) {
        std::vector<Facet> facets = surface.facets;
        facets[0].focal_length *= 1.0 + elevation;
        facets[1].translation[2] = 0.125 * elevation;
        facets[2].control_points[5] += 0.25 * elevation;
        surface.bent.push_back({elevation, facets});
    }
    scenario.heliostats[0].surface = shared(surface);
    surface.bending_axis = BendingAxis::temperature;
    for (BentFacets& row : surface.bent) row.at = 40.0 * row.at - 10.0;
    scenario.heliostats[1].surface = shared(surface);
    return scenario;
}

}  // namespace helioray::test
