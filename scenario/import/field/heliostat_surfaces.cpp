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

/// Axes of the mirror frame in ENU.
using MirrorAxes = std::array<Vec3, 3>;

/// Returns the axes of an azimuth-elevation mount whose mirror has this normal: e is horizontal. A
/// mirror that faces straight up has the azimuth of south.
MirrorAxes mirror_axes(const Vec3& normal) {
    const double horizontal = std::hypot(normal[0], normal[1]);
    const Vec3 e = horizontal > 1e-15 ? Vec3{-normal[1] / horizontal, normal[0] / horizontal, 0.0}
                                      : Vec3{1.0, 0.0, 0.0};
    return {e, cross(normal, e), normal};
}

Vec3 to_mirror(const MirrorAxes& axes, const Vec3& v) {
    return {dot(axes[0], v), dot(axes[1], v), dot(axes[2], v)};
}

/// Returns the directions to sun and aim point in the frame of the mirror that tracks the sun.
CantingLight off_axis_canting(const Vec3& sun,
                              double mirror_offset,
                              const Vec3& pivot,
                              const Vec3& aim) {
    // The mirror's centre depends on the normal. Each step makes the error smaller by about the
    // ratio of the offset to the slant range.
    constexpr int kMostSteps = 50;
    Vec3 normal = normalized(add(sun, normalized(subtract(aim, pivot))));
    Vec3 to_aim{};
    for (int i = 0; i < kMostSteps; ++i) {
        to_aim = subtract(aim, add_scaled(pivot, mirror_offset, normal));
        const Vec3 next = normalized(add(sun, normalized(to_aim)));
        const double change = norm(subtract(next, normal));
        normal = next;
        if (change < 1e-15) break;
    }
    const MirrorAxes axes = mirror_axes(normal);
    return {to_mirror(axes, sun), to_mirror(axes, to_aim)};
}

/// Returns the normal of a facet at its centre.
struct FacetNormal {
    const Vec3& centre;
    Vec3 operator()(const CantingLight& light) const {
        return normalized(add(light.sun, normalized(subtract(light.aim, centre))));
    }
    Vec3 operator()(const CantingCentre& canting) const {
        return normalized(subtract(canting.point, centre));
    }
};

/// Sets the control points of z = x^2 / 4 fx + y^2 / 4 fy in the mirror frame.
void set_saddle(const std::array<double, 2>& focal_lengths, Facet& facet) {
    // Bernstein coefficients of degree 3 of t and t^2 for t from -1 to 1.
    constexpr std::array<double, 4> kLinear{-1.0, -1.0 / 3.0, 1.0 / 3.0, 1.0};
    constexpr std::array<double, 4> kSquare{1.0, -1.0 / 3.0, -1.0 / 3.0, 1.0};
    const double half_e = norm(facet.canting_e), half_n = norm(facet.canting_n);
    const double rise_e = 0.25 * half_e * half_e / focal_lengths[0];
    const double rise_n = 0.25 * half_n * half_n / focal_lengths[1];
    const Vec3 normal = normalized(cross(facet.canting_e, facet.canting_n));
    facet.shape = FacetShape::bspline;
    facet.degrees = {3, 3};
    facet.num_control_points = {4, 4};
    for (size_t i = 0; i < 4; ++i) {
        for (size_t k = 0; k < 4; ++k) {
            const double height = rise_e * kSquare[i] + rise_n * kSquare[k];
            Vec3 point = add_scaled(facet.translation, kLinear[i], facet.canting_e);
            point = add_scaled(point, kLinear[k], facet.canting_n);
            point = add_scaled(point, height, normal);
            facet.control_points.insert(facet.control_points.end(), point.begin(), point.end());
        }
    }
}

Facet make_facet(const HeliostatTemplate& heliostat,
                 const MirrorShape& shape,
                 double tilt,
                 bool is_saddle,
                 int64_t column,
                 int64_t row) {
    const auto [facet_width, facet_height] = facet_size(heliostat);
    const auto centre = [](int64_t index, int64_t count, double pitch) {
        return (static_cast<double>(index) - 0.5 * static_cast<double>(count - 1)) * pitch;
    };
    Facet facet;
    facet.shape = heliostat.facet_shape;
    facet.outline = heliostat.outline;
    facet.translation = {centre(column, heliostat.facets[0], facet_width + heliostat.facet_gap[0]),
                         centre(row, heliostat.facets[1], facet_height + heliostat.facet_gap[1]),
                         0.0};
    if (!heliostat.facet_offsets.empty())
        facet.translation[2] =
            heliostat.facet_offsets[static_cast<size_t>(row * heliostat.facets[0] + column)];
    Vec3 normal =
        shape.canting ? std::visit(FacetNormal{facet.translation}, *shape.canting) : Vec3{0, 0, 1};
    if (tilt != 0.0)
        normal = {normal[0],
                  normal[1] * std::cos(tilt) + normal[2] * std::sin(tilt),
                  normal[2] * std::cos(tilt) - normal[1] * std::sin(tilt)};
    facet.canting_e = turn_from_up({0.5 * facet_width, 0.0, 0.0}, normal);
    facet.canting_n = turn_from_up({0.0, 0.5 * facet_height, 0.0}, normal);
    if (!shape.focal_lengths) return facet;
    facet.focal_length = (*shape.focal_lengths)[0];
    if (is_saddle) {
        facet.focal_length = 0.0;
        set_saddle(*shape.focal_lengths, facet);
    }
    return facet;
}

}  // namespace

std::array<double, 2> facet_size(const HeliostatTemplate& heliostat) {
    const std::array<double, 2> sizes{heliostat.width, heliostat.height};
    std::array<double, 2> facet{};
    for (size_t i = 0; i < 2; ++i) {
        const auto count = static_cast<double>(heliostat.facets[i]);
        facet[i] = (sizes[i] - (count - 1.0) * heliostat.facet_gap[i]) / count;
    }
    return facet;
}

CantingLight on_axis_canting(double distance) {
    return {{0.0, 0.0, 1.0}, {0.0, 0.0, distance}};
}

MirrorShape mirror_shape(const HeliostatTemplate& heliostat, const Vec3& pivot, const Vec3& aim) {
    const double slant_range = norm(subtract(aim, pivot));
    const double steps = std::max(1.0, std::round(slant_range / heliostat.slant_step));
    const double rounded = steps * heliostat.slant_step;
    MirrorShape shape;
    if (heliostat.facet_shape != FacetShape::flat)
        shape.focal_lengths = {resolve(heliostat.focal_lengths[0], rounded),
                               resolve(heliostat.focal_lengths[1], rounded)};
    if (!heliostat.canting) return shape;
    if (const auto* on_axis = std::get_if<OnAxisCanting>(&*heliostat.canting)) {
        shape.canting = on_axis_canting(resolve(on_axis->distance, rounded));
    } else if (const auto* off_axis = std::get_if<OffAxisCanting>(&*heliostat.canting)) {
        shape.canting = off_axis_canting(off_axis->sun, heliostat.mirror_offset, pivot, aim);
    } else {
        shape.canting = CantingCentre{std::get<PointCanting>(*heliostat.canting).point};
    }
    return shape;
}

namespace {

std::vector<Facet> make_facets(const HeliostatTemplate& heliostat,
                               const MirrorShape& shape,
                               double tilt,
                               bool is_saddle) {
    std::vector<Facet> facets;
    const int64_t count = heliostat.facets[0] * heliostat.facets[1];
    const size_t digits = std::to_string(count).size();
    for (int64_t row = 0; row < heliostat.facets[1]; ++row) {
        for (int64_t column = 0; column < heliostat.facets[0]; ++column) {
            Facet facet = make_facet(heliostat, shape, tilt, is_saddle, column, row);
            facet.name = fmt::format("facet_{:0{}}", facets.size() + 1, digits);
            facets.push_back(std::move(facet));
        }
    }
    return facets;
}

}  // namespace

Surface mirror_surface(const HeliostatTemplate& heliostat, const MirrorShape& shape) {
    const auto differ = [](const std::optional<std::array<double, 2>>& lengths) {
        return lengths && (*lengths)[0] != (*lengths)[1];
    };
    // Facets that are interpolated have one form in all rows.
    const bool is_saddle =
        differ(shape.focal_lengths) ||
        std::ranges::any_of(heliostat.bent, differ, &BentTemplate::focal_lengths);
    Surface surface;
    surface.facets = make_facets(heliostat, shape, 0.0, is_saddle);
    surface.bending_axis = heliostat.bending_axis;
    for (const BentTemplate& row : heliostat.bent) {
        MirrorShape bent = shape;
        if (row.focal_lengths) bent.focal_lengths = row.focal_lengths;
        if (row.canting_distance) bent.canting = on_axis_canting(*row.canting_distance);
        surface.bent.push_back({row.at, make_facets(heliostat, bent, row.tilt, is_saddle)});
    }
    return surface;
}

std::shared_ptr<const Surface> SurfaceStore::get(const MirrorShape& shape) {
    auto& surface = surfaces_[shape];
    if (!surface) surface = std::make_shared<const Surface>(mirror_surface(heliostat_, shape));
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
