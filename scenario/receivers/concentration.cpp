// SPDX-License-Identifier: MIT
// Receivers with mirrors of their own: beam-down plants and compound parabolic concentrators.
#include "scenario/receivers/panels.h"
#include "scenario/receivers/shapes.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

namespace helioray {

namespace {

constexpr double kTurn = 2.0 * std::numbers::pi;

SurfaceAbsorption make_mirror(const ReceiverConfig& config) {
    return mirror_front(config.reflectivity, config.slope_error);
}

/// Returns the mirror over the upper focus, with its vertex on the vertical through both foci.
QuadricTarget make_secondary(const ReceiverConfig& config) {
    const bool is_below = config.secondary == ReceiverConfig::Secondary::hyperboloid;
    const double rise = is_below ? -config.vertex_distance : config.vertex_distance;
    const Vec3 upper = config.center;
    const Vec3 lower = add(upper, {0.0, 0.0, -config.foci_distance});
    QuadricTarget mirror = quadric_with_foci(add(upper, {0.0, 0.0, rise}), upper, lower);
    mirror.radius = config.radius;
    mirror.inner_radius = config.inner_radius;
    mirror.side = is_below ? QuadricTarget::Side::outer : QuadricTarget::Side::inner;
    return mirror;
}

/// Returns the concentrator, or one of its flat sides, without its place.
ConcentratorTarget make_wall(const ReceiverConfig& config) {
    ConcentratorTarget wall;
    wall.half_angle = *config.half_angle;
    wall.exit_radius = config.exit_radius;
    wall.length = config.length.value_or(full_length(wall.exit_radius, wall.half_angle));
    if (config.sides > 0) wall.opening_angle = kTurn / static_cast<double>(config.sides);
    return wall;
}

/// Adds an absorber of the radius that faces `axis`, round or with as many edges as the
/// concentrator has sides. first: angle of the first side, clockwise from up in its plane.
void add_absorber(const std::string& name,
                  const ReceiverConfig& config,
                  const Vec3& center,
                  const Vec3& axis,
                  double first,
                  ReceiverSurfaces& made) {
    Target absorber{name + "_absorber", DiscTarget{center, axis, config.exit_radius}, name};
    if (config.sides > 0) {
        const double part = kTurn / static_cast<double>(config.sides);
        const double corner = config.exit_radius / std::cos(0.5 * part);
        absorber.geometry = PlanarTarget{center, axis, 2.0 * corner, 2.0 * corner};
        for (int64_t i = 0; i < config.sides; ++i) {
            const double angle = first - (static_cast<double>(i) + 0.5) * part;
            absorber.outline.push_back({corner * std::sin(angle), corner * std::cos(angle)});
        }
    }
    made.targets.push_back(std::move(absorber));
}

/// Adds a concentrator whose entry has the centre and faces `axis`, with its absorber.
void add_concentrator(const std::string& name,
                      const ReceiverConfig& config,
                      const Vec3& entry,
                      const Vec3& axis,
                      double first,
                      ReceiverSurfaces& made) {
    ConcentratorTarget wall = make_wall(config);
    wall.axis = axis;
    wall.center = add_scaled(entry, -wall.length, axis);
    const auto [right, up, front] = flat_axes(axis);
    const auto count = static_cast<size_t>(std::max<int64_t>(1, config.sides));
    for (size_t i = 0; i < count; ++i) {
        const double angle = first + kTurn * static_cast<double>(i) / static_cast<double>(count);
        wall.normal = add(scaled(std::cos(angle), up), scaled(std::sin(angle), right));
        const std::string own =
            config.sides > 0 ? numbered_name(name, "cpc", i + 1, count) : name + "_cpc";
        Target side{own, wall, name, SurfaceUse::mirror};
        side.absorption = make_mirror(config);
        made.targets.push_back(std::move(side));
    }
    add_absorber(name, config, wall.center, axis, first, made);
}

/// Returns the key of a member of a shape.
std::string name_key(const std::string& member) {
    return member + (member == "half_angle" ? "_deg" : "_m");
}

}  // namespace

ReceiverSurfaces make_beam_down(const std::string& name, const ReceiverConfig& config) {
    ReceiverSurfaces made;
    Target mirror{name + "_mirror", make_secondary(config), name, SurfaceUse::mirror};
    mirror.absorption = make_mirror(config);
    made.targets.push_back(std::move(mirror));
    const Vec3 focus = add(config.center, {0.0, 0.0, -config.foci_distance});
    const Vec3 up{0.0, 0.0, 1.0};
    if (config.half_angle) {
        add_concentrator(name, config, focus, up, config.azimuth, made);
    } else {
        add_absorber(name, config, focus, up, config.azimuth, made);
    }
    made.aim_point = config.center;
    return made;
}

ReceiverSurfaces make_concentrator(const std::string& name, const ReceiverConfig& config) {
    ReceiverSurfaces made;
    const Vec3 axis = tilted_normal(config.azimuth, config.tilt);
    add_concentrator(name, config, config.center, axis, 0.0, made);
    made.aim_point = config.center;
    return made;
}

std::optional<SizeFault> find_concentration_fault(const ReceiverConfig& config) {
    const bool is_beam_down = config.type == ReceiverConfig::Type::beam_down;
    if (config.sides == 1 || config.sides == 2)
        return SizeFault{"sides",
                         fmt::format("is {}", config.sides),
                         "a polygon has at least three sides",
                         "give 0 for a round concentrator, or at least 3"};
    if (is_beam_down && !config.half_angle && (config.length || config.sides > 0))
        return SizeFault{config.length ? "length_m" : "sides",
                         "is given without a concentrator",
                         "it is a size of the concentrator",
                         "add half_angle_deg, or remove it"};
    if (is_beam_down && config.secondary == ReceiverConfig::Secondary::hyperboloid &&
        !(config.vertex_distance < 0.5 * config.foci_distance))
        return SizeFault{"vertex_distance_m",
                         "is not below half of foci_distance_m",
                         "a hyperboloid has its vertex nearer to the upper focus",
                         "give a smaller one"};
    if (is_beam_down) {
        if (const auto fault = find_shape_fault(make_secondary(config)))
            return SizeFault{name_key(fault->member), fault->what, fault->why, fault->advice};
    }
    if (!config.half_angle) return std::nullopt;
    if (const auto fault = find_shape_fault(make_wall(config)))
        return SizeFault{name_key(fault->member), fault->what, fault->why, fault->advice};
    return std::nullopt;
}

}  // namespace helioray
