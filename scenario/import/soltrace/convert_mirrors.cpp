// SPDX-License-Identifier: MIT
// Converts mirror elements to heliostats.
#include "scenario/import/field/heliostat_surfaces.h"
#include "scenario/import/soltrace/mirror_outlines.h"
#include "scenario/import/soltrace/spline_patch.h"
#include "scenario/types/vector_math.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <optional>
#include <string_view>

namespace helioray::soltrace {

namespace {

// Input files have six digits, so an angle of 0 may be read as up to this value.
constexpr double kRollRounding = 2e-5;  // radians

/// Returns a roll with values near a multiple of `period` replaced by 0: pi for mirrors that are
/// equal after half a turn.
double tidy_roll(double roll, double period) {
    const double rest = std::remainder(roll, period);
    return std::abs(rest) < kRollRounding ? 0.0 : rest;
}

Vec3 turned(const Vec3& v, double roll) {
    return {std::cos(roll) * v[0] - std::sin(roll) * v[1],
            std::sin(roll) * v[0] + std::cos(roll) * v[1],
            v[2]};
}

/// Largest deviation of a B-spline from a mirror's surface, radians.
constexpr double kLargestDeviation = 1e-4;

/// Shape of a part of a mirror.
struct PartShape {
    FacetShape facet = FacetShape::flat;
    double focal_length = 0.0;  ///< focal length of paraboloid and sphere, metres
    SplinePatch patch = {};     ///< control points of a B-spline
};

/// Returns the surface of an element with the letter of the simplest formula for it.
char simplified_surface(const Element& element) {
    const double along_x = element.surface_values[0], along_y = element.surface_values[1];
    if (element.surface == 'p') return along_x == 0.0 && along_y == 0.0 ? 'f' : 'p';
    if (element.surface == 's' || element.surface == 'o')
        return along_x == 0.0 ? 'f' : element.surface;
    return element.surface;
}

/// Returns the shape of a part of a mirror, or reports why there is none.
std::optional<PartShape> find_shape(const Project& project,
                                    const Element& element,
                                    const MirrorRectangle& rectangle,
                                    const Findings& findings) {
    const auto refuse = [&](const std::string& what) {
        findings.unsupported(element, what);
        return std::nullopt;
    };
    const double along_x = element.surface_values[0], along_y = element.surface_values[1];
    const bool is_centred = rectangle.center == Vec2{};
    const char surface = simplified_surface(element);
    if (surface == 'f') return PartShape{};
    if (surface == 't' || surface == 'd')
        return refuse(fmt::format("its surface is {}, which closes on itself",
                                  surface == 't' ? "a full cylinder" : "a torus"));
    if (surface == 'p') {
        if (has_equal_curvatures(element) && is_centred && along_x > 0.0)
            return PartShape{FacetShape::paraboloid, 0.5 / along_x};
        return PartShape{FacetShape::bspline, 0.0, quadratic_patch(rectangle, {along_x, along_y})};
    }
    if (surface == 's' && element.aperture != 'l' && is_centred && along_x > 0.0) {
        if (reach_of(rectangle) * along_x >= 1.0)
            return refuse("its sphere is smaller than its aperture");
        return PartShape{FacetShape::sphere, 0.5 / along_x};
    }
    const auto heights = find_heights(project, element, findings);
    if (!heights) return std::nullopt;
    auto patch = fit_patch(rectangle, *heights);
    const std::string name = surface_name(surface);
    if (!patch)
        return refuse(fmt::format("its surface is {}, which ends within its aperture", name));
    if (!(patch->deviation <= kLargestDeviation))
        return refuse(
            fmt::format("its surface is {}, from which a B-spline of {} x {} points deviates by "
                        "{:.2g} mrad rms: it is steep or has an edge",
                        name,
                        patch->num_control_points,
                        patch->num_control_points,
                        1e3 * patch->deviation));
    findings.remark(element.line,
                    fmt::format("its surface is {}: a B-spline of {} x {} points, whose normals "
                                "deviate by {:.1g} mrad rms",
                                name,
                                patch->num_control_points,
                                patch->num_control_points,
                                1e3 * patch->deviation));
    return PartShape{FacetShape::bspline, 0.0, std::move(*patch)};
}

/// Returns a facet for a part of a mirror, turned about the element's z axis.
Facet make_facet(const MirrorRectangle& rectangle, const PartShape& shape, double roll) {
    Facet facet;
    facet.shape = shape.facet;
    facet.outline = rectangle.outline;
    // A section turned in its own plane turns the facet's sides, but not its axes of curvature.
    const double sides = roll + std::atan2(rectangle.x_axis[1], rectangle.x_axis[0]);
    facet.canting_e = turned({0.5 * rectangle.width, 0.0, 0.0}, sides);
    facet.canting_n = turned({0.0, 0.5 * rectangle.height, 0.0}, sides);
    facet.translation = turned({rectangle.center[0], rectangle.center[1], 0.0}, roll);
    facet.focal_length = shape.focal_length;
    if (facet.shape != FacetShape::bspline) return facet;
    facet.degrees = {shape.patch.degree, shape.patch.degree};
    facet.num_control_points = {shape.patch.num_control_points, shape.patch.num_control_points};
    for (const Vec3& point : shape.patch.control_points) {
        const Vec3 placed = turned(point, roll);
        facet.control_points.insert(facet.control_points.end(), placed.begin(), placed.end());
    }
    return facet;
}

/// Returns numbers that are equal for equal mirrors.
std::vector<double> mirror_key(const Element& element,
                               const std::vector<MirrorRectangle>& parts,
                               double roll) {
    std::vector<double> key{roll, static_cast<double>(simplified_surface(element))};
    for (const MirrorRectangle& part : parts) {
        const FacetOutline& outline = part.outline;
        key.insert(key.end(),
                   {part.width,
                    part.height,
                    part.center[0],
                    part.center[1],
                    part.x_axis[0],
                    part.x_axis[1],
                    static_cast<double>(outline.kind),
                    outline.hole});
        for (const auto& corner : outline.corners)
            key.insert(key.end(), corner.begin(), corner.end());
    }
    if (simplified_surface(element) == 'f') return key;
    key.push_back(element.aperture == 'l' ? 1.0 : 0.0);
    key.insert(key.end(), element.surface_values.begin(), element.surface_values.end());
    for (const char letter : element.surface_file) key.push_back(letter);
    return key;
}

}  // namespace

MirrorMaker::MirrorMaker(const Project& project, const Findings& findings)
    : project_(project),
      findings_(findings),
      kinematics_(azimuth_elevation_kinematics(0.0)),
      drives_(azimuth_elevation_drives()) {}

std::shared_ptr<const Surface> MirrorMaker::make_surface(const Element& element, double& roll) {
    if (element.interaction != 2) {
        findings_.unsupported(element, "it refracts light");
        return nullptr;
    }
    const OpticPair* pair = find_optic(project_, element);
    if (pair && pair->front.reflectivity == 0.0) {
        findings_.unsupported(element, "its front reflects no light, it is no mirror");
        return nullptr;
    }
    const std::vector<MirrorRectangle> parts = find_parts(element, findings_);
    if (parts.empty()) return nullptr;
    const bool is_whole = parts.size() == 1 && parts.front().center == Vec2{};
    const FacetOutlineKind kind = parts.front().outline.kind;
    const bool is_symmetric = is_whole && kind == FacetOutlineKind::rectangle &&
                              std::string_view("fpsog").find(element.surface) != std::string::npos;
    roll = tidy_roll(roll, is_symmetric ? std::numbers::pi : 2.0 * std::numbers::pi);
    const char surface = simplified_surface(element);
    const bool is_of_revolution = surface == 'f' || surface == 's' || surface == 'o' ||
                                  (surface == 'p' && element.surface_values[0] > 0.0 &&
                                   element.surface_values[0] == element.surface_values[1]);
    // A round mirror of revolution is the same at every roll.
    if (is_whole && kind == FacetOutlineKind::round && is_of_revolution) roll = 0.0;
    auto& known = surfaces_[mirror_key(element, parts, roll)];
    if (known) return known;
    Surface made;
    const size_t digits = std::to_string(parts.size()).size();
    for (const MirrorRectangle& part : parts) {
        const auto shape = find_shape(project_, element, part, findings_);
        if (!shape) return nullptr;
        made.facets.push_back(make_facet(part, *shape, roll));
        made.facets.back().name = fmt::format("facet_{:0{}}", made.facets.size(), digits);
    }
    if (parts.size() > 1)
        findings_.remark(element.line,
                         fmt::format("its aperture is {}: {} facets with convex outlines and the "
                                     "same area",
                                     aperture_name(element.aperture),
                                     parts.size()));
    known = std::make_shared<const Surface>(std::move(made));
    return known;
}

void MirrorMaker::add(const Element& element, const Frame& frame, size_t digits, Import& import) {
    const MirrorAngles angles = mirror_angles(frame);
    double roll = angles.roll;
    const auto surface = make_surface(element, roll);
    if (!surface) return;
    Heliostat heliostat;
    heliostat.name = fmt::format("H{:0{}}", element.number, digits);
    heliostat.id = element.number;
    heliostat.position = frame.origin;
    heliostat.surface = surface;
    heliostat.kinematics = kinematics_;
    heliostat.actuators = drives_;
    import.run.aim.heliostats[heliostat.name].motor_positions = {angles.azimuth, angles.elevation};
    import.scenario.heliostats.push_back(std::move(heliostat));
    if (roll != 0.0)
        findings_.remark(element.line,
                         "its sides are not horizontal and upright: turned about its normal, as "
                         "drives cannot; true for these motor positions alone");
}

}  // namespace helioray::soltrace
