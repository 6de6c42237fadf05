// SPDX-License-Identifier: MIT
// Builds facets, canting and drives.
#include "scenario/import/field/heliostat_surfaces.h"

#include "scenario/types/vector_math.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace helioray {

namespace {

double resolve(const FocalChoice& choice, double slant_range) {
    if (const double* length = std::get_if<double>(&choice)) return *length;
    return slant_range;
}

/// Applies to v the smallest rotation that takes up to the unit vector n.
Vec3 turn_from_up(const Vec3& v, const Vec3& n) {
    const Vec3 axis{-n[1], n[0], 0.0};  // up x n
    const Vec3 along = scaled(dot(axis, v) / (1.0 + n[2]), axis);
    return add(add(scaled(n[2], v), cross(axis, v)), along);
}

Facet make_facet(const HeliostatTemplate& heliostat,
                 const MirrorLengths& lengths,
                 int64_t column,
                 int64_t row) {
    const double facet_width =
        (heliostat.width - static_cast<double>(heliostat.facets[0] - 1) * heliostat.facet_gap[0]) /
        static_cast<double>(heliostat.facets[0]);
    const double facet_height =
        (heliostat.height - static_cast<double>(heliostat.facets[1] - 1) * heliostat.facet_gap[1]) /
        static_cast<double>(heliostat.facets[1]);
    const auto centre = [](int64_t index, int64_t count, double pitch) {
        return (static_cast<double>(index) - 0.5 * static_cast<double>(count - 1)) * pitch;
    };
    Facet facet;
    facet.shape = heliostat.facet_shape;
    facet.focal_length = lengths.focal_length.value_or(0.0);
    facet.translation = {centre(column, heliostat.facets[0], facet_width + heliostat.facet_gap[0]),
                         centre(row, heliostat.facets[1], facet_height + heliostat.facet_gap[1]),
                         0.0};
    Vec3 normal{0, 0, 1};
    if (lengths.canting_distance) {
        const Vec3 to_focus = subtract({0.0, 0.0, *lengths.canting_distance}, facet.translation);
        normal = normalized(add(normal, normalized(to_focus)));
    }
    facet.canting_e = turn_from_up({0.5 * facet_width, 0.0, 0.0}, normal);
    facet.canting_n = turn_from_up({0.0, 0.5 * facet_height, 0.0}, normal);
    return facet;
}

}  // namespace

MirrorLengths mirror_lengths(const HeliostatTemplate& heliostat, double slant_range) {
    const double steps = std::max(1.0, std::round(slant_range / heliostat.slant_step));
    const double rounded = steps * heliostat.slant_step;
    MirrorLengths lengths;
    if (heliostat.facet_shape != FacetShape::flat)
        lengths.focal_length = resolve(heliostat.focal_length, rounded);
    if (heliostat.canting) lengths.canting_distance = resolve(*heliostat.canting, rounded);
    return lengths;
}

Surface mirror_surface(const HeliostatTemplate& heliostat, const MirrorLengths& lengths) {
    Surface surface;
    const int64_t count = heliostat.facets[0] * heliostat.facets[1];
    const size_t digits = std::to_string(count).size();
    for (int64_t row = 0; row < heliostat.facets[1]; ++row) {
        for (int64_t column = 0; column < heliostat.facets[0]; ++column) {
            Facet facet = make_facet(heliostat, lengths, column, row);
            facet.name = fmt::format("facet_{:0{}}", surface.facets.size() + 1, digits);
            surface.facets.push_back(std::move(facet));
        }
    }
    return surface;
}

std::shared_ptr<const Surface> SurfaceStore::get(const MirrorLengths& lengths) {
    auto& surface = surfaces_[lengths];
    if (!surface) surface = std::make_shared<const Surface>(mirror_surface(heliostat_, lengths));
    return surface;
}

std::shared_ptr<const ActuatorPair> azimuth_elevation_drives() {
    Actuator azimuth;
    azimuth.name = "azimuth";
    azimuth.type = ActuatorType::ideal;
    azimuth.min_motor_position = -2.0 * std::numbers::pi;
    azimuth.max_motor_position = 2.0 * std::numbers::pi;
    Actuator elevation = azimuth;
    elevation.name = "elevation";
    elevation.min_motor_position = -0.5 * std::numbers::pi;
    elevation.max_motor_position = 0.5 * std::numbers::pi;
    return std::make_shared<const ActuatorPair>(ActuatorPair{azimuth, elevation});
}

std::shared_ptr<const Kinematics> azimuth_elevation_kinematics(double mirror_offset) {
    Kinematics kinematics;
    kinematics.type = KinematicsType::azimuth_elevation;
    kinematics.deviations.concentrator_translation = {0.0, 0.0, mirror_offset};
    return std::make_shared<const Kinematics>(kinematics);
}

}  // namespace helioray
