// SPDX-License-Identifier: MIT
// Converts receiver elements to targets.
#include "scenario/files/units.h"
#include "scenario/import/soltrace/conversion.h"
#include "scenario/types/vector_math.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <optional>

namespace helioray::soltrace {

namespace {

constexpr double kTurnRounding = 1e-4;  // tolerance of axes that should be horizontal, radians

/// Returns up in a plane as defined for targets: the projection of world up, north for a horizontal
/// plane.
Vec3 up_in_plane(const Vec3& normal) {
    const auto project = [&](const Vec3& v) { return subtract(v, scaled(dot(normal, v), normal)); };
    const Vec3 up = project({0, 0, 1});
    return normalized(norm(up) < 1e-6 ? project({0, 1, 0}) : up);
}

std::optional<PlanarTarget> convert_plane(const Element& element,
                                          const Frame& frame,
                                          const Vec3& field,
                                          const Findings& findings) {
    if (element.aperture != 'r') {
        findings.unsupported(element,
                             fmt::format("its aperture is {}, flat receivers are rectangles",
                                         aperture_name(element.aperture)));
        return std::nullopt;
    }
    PlanarTarget plane;
    plane.center = frame.origin;
    plane.normal = frame.axes[2];
    plane.width = element.aperture_values[0];
    plane.height = element.aperture_values[1];
    if (!(plane.width > 0.0) || !(plane.height > 0.0)) {
        findings.unsupported(element,
                             fmt::format("its aperture is {} x {} m", plane.width, plane.height));
        return std::nullopt;
    }
    const Vec3 up = up_in_plane(plane.normal);
    const double turn = std::remainder(
        std::atan2(dot(frame.axes[1], cross(plane.normal, up)), dot(frame.axes[1], up)),
        std::numbers::pi);
    if (std::abs(std::abs(turn) - 0.5 * std::numbers::pi) < kTurnRounding) {
        std::swap(plane.width, plane.height);
    } else if (std::abs(turn) > kTurnRounding) {
        findings.unsupported(
            element,
            fmt::format(
                "it is turned by {:.4f} degrees about its normal, targets have a horizontal side",
                turn / kRadiansPerDegree));
        return std::nullopt;
    }
    if (dot(plane.normal, subtract(field, plane.center)) < 0.0) {
        plane.normal = scaled(-1.0, plane.normal);
        findings.remark(
            element.line,
            "receiver's normal reversed, towards the mirrors: targets are lit from their front");
    }
    return plane;
}

std::optional<CylindricalTarget> convert_cylinder(const Element& element,
                                                  const Frame& frame,
                                                  const Findings& findings) {
    const double curvature = element.surface_values[0];
    const auto& size = element.aperture_values;
    if (element.aperture != 'l' || size[0] != 0.0 || size[1] != 0.0) {
        findings.unsupported(element,
                             "it is a part of a cylinder; cylinders are full ones, of aperture l "
                             "with widths 0 and 0");
        return std::nullopt;
    }
    if (!(curvature > 0.0) || !(size[2] > 0.0)) {
        findings.unsupported(
            element,
            fmt::format("a cylinder of curvature {} 1/m and length {} m", curvature, size[2]));
        return std::nullopt;
    }
    // The element's origin is on the surface; its z axis points to the cylinder's axis, which is y.
    CylindricalTarget cylinder;
    cylinder.radius = 1.0 / curvature;
    cylinder.height = size[2];
    cylinder.opening_angle = 2.0 * std::numbers::pi;
    cylinder.center = frame.point({0.0, 0.0, cylinder.radius});
    cylinder.axis = frame.axes[1];
    if (cylinder.axis[2] < 0.0) cylinder.axis = scaled(-1.0, cylinder.axis);
    const Vec3 north = subtract({0, 1, 0}, scaled(cylinder.axis[1], cylinder.axis));
    cylinder.normal = norm(north) > 1e-6 ? normalized(north) : frame.axes[2];
    return cylinder;
}

std::string receiver_name(const Element& element,
                          const std::string& stage,
                          const std::vector<Target>& targets) {
    std::string name =
        element.comment.empty()
            ? fmt::format("{}_{}", stage.empty() ? "receiver" : stage, element.number)
            : element.comment;
    std::replace(name.begin(), name.end(), '/', '_');
    if (name == ".") name = "receiver";
    const auto taken = [&](const std::string& text) {
        return std::any_of(targets.begin(), targets.end(), [&](const Target& target) {
            return target.name == text;
        });
    };
    return taken(name) ? fmt::format("{}_{}", name, element.number) : name;
}

}  // namespace

void add_receiver(const Element& element,
                  const Frame& frame,
                  const Vec3& field,
                  const std::string& stage,
                  const Findings& findings,
                  std::vector<Target>& targets) {
    Target target;
    target.name = receiver_name(element, stage, targets);
    if (element.surface == 'f') {
        const auto plane = convert_plane(element, frame, field, findings);
        if (!plane) return;
        target.geometry = *plane;
    } else if (element.surface == 't') {
        const auto cylinder = convert_cylinder(element, frame, findings);
        if (!cylinder) return;
        target.geometry = *cylinder;
    } else {
        findings.unsupported(element,
                             fmt::format("its surface is {}; receivers are flat or cylinders",
                                         surface_name(element.surface)));
        return;
    }
    findings.remark(element.line, fmt::format("target '{}'", target.name));
    targets.push_back(std::move(target));
}

}  // namespace helioray::soltrace
