// SPDX-License-Identifier: MIT
// A heliostat of four facets before a wall, and records of suns over a day.
#pragma once

#include "raytracer/solvers/reconstruction/reconstruct.h"
#include "raytracer/tracing/kinematics/alignment.h"
#include "scenario/files/error.h"
#include "scenario/types/vector_math.h"
#include "tests/support/catch2.h"

#include <array>
#include <cmath>
#include <memory>
#include <numbers>
#include <vector>

namespace helioray::test {

/// Columns by rows of flat facets of this width and height with gaps of 15 and 10 mm, canted to a
/// focus at `focus` metres.
inline Surface flat_facets(int columns, int rows, double width, double height, double focus) {
    Surface surface;
    for (int row = 0; row < rows; ++row) {
        for (int column = 0; column < columns; ++column) {
            const double e = (column - 0.5 * (columns - 1)) * (width + 0.015);
            const double n = (0.5 * (rows - 1) - row) * (height + 0.01);
            Facet facet;
            facet.name = "facet_" + std::to_string(surface.facets.size() + 1);
            facet.shape = FacetShape::flat;
            facet.translation = {e, n, 0.0};
            facet.canting_e = scaled(0.5 * width, normalized({1.0, 0.0, e / (2.0 * focus)}));
            facet.canting_n = scaled(0.5 * height, normalized({0.0, 1.0, n / (2.0 * focus)}));
            surface.facets.push_back(facet);
        }
    }
    return surface;
}

/// Four facets of 1.6 x 1.275 m.
inline Surface four_facets(double focus) {
    return flat_facets(2, 2, 1.6, 1.275, focus);
}

/// One heliostat with ideal drives 40 m north of a wall that faces it.
inline Scenario one_heliostat(Surface surface) {
    Scenario scenario;
    scenario.targets = {Target{"wall", PlanarTarget{{0.0, 0.0, 40.0}, {0, 1, 0}, 8.0, 7.0}}};
    scenario.light_sources = {LightSource{"sun", 10, 0.0, GaussianShape{2.09e-3}}};
    Heliostat heliostat;
    heliostat.name = "H1";
    heliostat.position = {10.0, 40.0, 1.7};
    heliostat.surface = std::make_shared<const Surface>(std::move(surface));
    auto kinematics = std::make_shared<Kinematics>();
    kinematics->type = KinematicsType::azimuth_elevation;
    heliostat.kinematics = kinematics;
    auto actuators = std::make_shared<ActuatorPair>();
    for (size_t axis = 0; axis < 2; ++axis) {
        (*actuators)[axis].name = axis == 0 ? "actuator_1" : "actuator_2";
        (*actuators)[axis].min_motor_position = -7.0;
        (*actuators)[axis].max_motor_position = 7.0;
    }
    heliostat.actuators = actuators;
    scenario.heliostats = {heliostat};
    return scenario;
}

/// Geometry of an image at this place under this sun, degrees.
inline reconstruction::ImageGeometry geometry_of(const Scenario& scenario,
                                                 double azimuth_deg,
                                                 double elevation_deg,
                                                 const Vec3& centre = {0.3, 0.0, 40.2}) {
    const double azimuth = azimuth_deg * std::numbers::pi / 180.0;
    const double elevation = elevation_deg * std::numbers::pi / 180.0;
    reconstruction::ImageGeometry geometry;
    geometry.to_sun = {std::sin(azimuth) * std::cos(elevation),
                       std::cos(azimuth) * std::cos(elevation),
                       std::sin(elevation)};
    geometry.centre = centre;
    geometry.normal = {0, 1, 0};
    const std::array<size_t, 1> one{0};
    const std::array<Vec3, 1> light{scaled(-1.0, geometry.to_sun)};
    const std::array<Vec3, 1> aim{geometry.centre};
    const AlignedMirror mirror =
        align_to_aim_points(kinematics_records(scenario, one), light, aim).mirrors[0];
    REQUIRE(mirror.converged);
    geometry.orientation = mirror.orientation;
    return geometry;
}

/// Suns of a year's daytime, degrees: azimuth, elevation.
inline constexpr std::array<std::array<double, 2>, 8> kSuns{
    {{100, 20}, {120, 40}, {150, 30}, {165, 60}, {190, 15}, {200, 55}, {230, 35}, {255, 25}}};

}  // namespace helioray::test
