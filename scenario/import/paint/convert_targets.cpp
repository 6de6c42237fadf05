// SPDX-License-Identifier: MIT
// Converts target areas from measured corners.
#include "scenario/files/units.h"
#include "scenario/import/paint/conversion.h"
#include "scenario/types/vector_math.h"

#include <fmt/format.h>

namespace helioray::paint {

namespace {

struct Corners {
    Vec3 upper_left, upper_right, lower_left, lower_right;
};

Corners read_corners(const JsonField& coordinates,
                     const std::string& prefix,
                     const ToLocal& to_local) {
    const auto corner = [&](const char* name) {
        return to_local(coordinates.at(prefix + name).position());
    };
    return {
        corner("upper_left"), corner("upper_right"), corner("lower_left"), corner("lower_right")};
}

Vec3 read_normal(const JsonField& area) {
    const JsonField field = area.at("normal_vector");
    const Vec3 normal = field.vector();
    if (norm(normal) < 1e-9) field.fail("is the zero vector", "it must be a direction");
    return normalized(normal);
}

PlanarTarget convert_plane(const std::string& name,
                           const JsonField& area,
                           const ToLocal& to_local,
                           ReadLog& log) {
    const JsonField coordinates = area.at("coordinates");
    const Corners c = read_corners(coordinates, "", to_local);
    PlanarTarget plane;
    plane.center = to_local(coordinates.at("center").position());
    plane.normal = read_normal(area);

    // In-plane axes follow the usual convention: up is the projection of world up, for horizontal
    // planes north.
    const bool is_horizontal = std::hypot(plane.normal[0], plane.normal[1]) < 1e-9;
    const Vec3 up = is_horizontal ? Vec3{0, 1, 0} : Vec3{0, 0, 1};
    const Vec3 e = normalized(cross(up, plane.normal));
    const Vec3 u = cross(plane.normal, e);
    const auto extent = [](const Vec3& from, const Vec3& to, const Vec3& axis) {
        return std::abs(dot(subtract(to, from), axis));
    };
    plane.width =
        (extent(c.upper_left, c.upper_right, e) + extent(c.lower_left, c.lower_right, e)) / 2;
    plane.height =
        (extent(c.lower_left, c.upper_left, u) + extent(c.lower_right, c.upper_right, u)) / 2;
    if (plane.width <= 0.0 || plane.height <= 0.0) {
        coordinates.fail("the corners span no area of the plane with this normal");
    }

    const Vec3 middle =
        scaled(0.25, add(add(c.upper_left, c.upper_right), add(c.lower_left, c.lower_right)));
    log.warn(name,
             fmt::format("plane of {:.4f} x {:.4f} m; given centre is {:.3f} m from the middle of "
                         "the corners and taken",
                         plane.width,
                         plane.height,
                         norm(subtract(middle, plane.center))));
    return plane;
}

// Returns the centre of the circle through the two ends of an arc whose middle is in the direction
// of the normal.
Vec3 arc_centre(
    const Vec3& left, const Vec3& right, const Vec3& normal, double radius, const JsonField& area) {
    const double half_chord = norm(subtract(right, left)) / 2;
    if (half_chord > radius) {
        area.at("radius").fail(fmt::format(
            "is {}, less than half the distance {:.4f} of two corners", radius, 2 * half_chord));
    }
    const double distance = std::sqrt(radius * radius - half_chord * half_chord);
    return subtract(scaled(0.5, add(left, right)), scaled(distance, normal));
}

CylindricalTarget convert_cylinder(const std::string& name,
                                   const JsonField& area,
                                   const ToLocal& to_local,
                                   ReadLog& log) {
    const JsonField coordinates = area.at("coordinates");
    const bool has_inner = coordinates.contains("receiver_inner_upper_left");
    const Corners c = read_corners(coordinates, has_inner ? "receiver_inner_" : "", to_local);
    CylindricalTarget cylinder;
    cylinder.normal = read_normal(area);
    cylinder.radius = area.at("radius").positive();
    const JsonField angle = area.at("opening_angle");
    cylinder.opening_angle = angle.positive() * kRadiansPerDegree;
    if (angle.number() > 360.0) angle.fail("is more than a full turn of 360 degrees");

    const Vec3 sideways = cross(cylinder.normal, {0, 0, 1});
    if (norm(sideways) < 1e-9) {
        area.at("normal_vector").fail("is vertical", "then the cylinder's axis is unknown");
    }
    cylinder.axis = normalized(cross(sideways, cylinder.normal));
    const Vec3& n = cylinder.normal;
    const Vec3 lower = arc_centre(c.lower_left, c.lower_right, n, cylinder.radius, area);
    const Vec3 upper = arc_centre(c.upper_left, c.upper_right, n, cylinder.radius, area);
    cylinder.center = scaled(0.5, add(lower, upper));
    cylinder.height = norm(subtract(upper, lower));
    if (cylinder.height <= 0.0) coordinates.fail("lower and upper corners are the same");

    log.warn(name,
             fmt::format("cylinder of radius {:.4f} m, height {:.4f} m, {:g} degrees; centre and "
                         "height from the {}corners, given centre ignored",
                         cylinder.radius,
                         cylinder.height,
                         angle.number(),
                         has_inner ? "inner " : ""));
    return cylinder;
}

}  // namespace

std::vector<Target> convert_targets(const JsonField& tower, const ToLocal& to_local, ReadLog& log) {
    std::vector<Target> planes;
    std::vector<Target> cylinders;
    for (const std::string& name : tower.keys()) {
        if (name == "power_plant_properties") continue;
        log.attempt([&] {
            const JsonField area = tower.at(name);
            const std::string type = area.at("type").text();
            if (type == "planar") {
                planes.push_back({name, convert_plane(name, area, to_local, log)});
            } else if (type == "convex_cylinder") {
                cylinders.push_back({name, convert_cylinder(name, area, to_local, log)});
            } else {
                log.warn(name, fmt::format("ignored, areas of type '{}' are unknown", type));
            }
        });
    }
    planes.insert(planes.end(), cylinders.begin(), cylinders.end());
    return planes;
}

}  // namespace helioray::paint
