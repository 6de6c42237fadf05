// SPDX-License-Identifier: MIT
// Finds the parts of a mirror's aperture.
#include "scenario/import/soltrace/mirror_outlines.h"

#include "scenario/files/units.h"
#include "scenario/types/components/component_rules.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

namespace helioray::soltrace {

namespace {

/// Largest angle of a piece of a sector, degrees. Its chords deviate from the arcs by at most
/// 0.05 % of the radius.
constexpr double kPieceAngle = 5.0;

double dot2(const Vec2& a, const Vec2& b) {
    return a[0] * b[0] + a[1] * b[1];
}

/// Returns the rectangle of a polygon with four corners, or no value if it is another
/// quadrilateral.
std::optional<MirrorRectangle> find_rectangle(const Outline& corners) {
    if (corners.size() != 4) return std::nullopt;
    const auto way = [&](size_t from, size_t to) {
        return Vec2{corners[to][0] - corners[from][0], corners[to][1] - corners[from][1]};
    };
    const Vec2 side = way(0, 1), next = way(0, 3), diagonal = way(0, 2);
    MirrorRectangle rectangle;
    rectangle.width = std::hypot(side[0], side[1]);
    rectangle.height = std::hypot(next[0], next[1]);
    // Corners are written with six digits.
    const double slack = 1e-5 * (rectangle.width + rectangle.height);
    if (std::hypot(diagonal[0] - side[0] - next[0], diagonal[1] - side[1] - next[1]) > slack ||
        std::abs(dot2(side, next)) > slack * std::min(rectangle.width, rectangle.height))
        return std::nullopt;
    rectangle.center = {0.5 * (corners[0][0] + corners[2][0]),
                        0.5 * (corners[0][1] + corners[2][1])};
    if (rectangle.width > 0.0)
        rectangle.x_axis = {side[0] / rectangle.width, side[1] / rectangle.width};
    return rectangle;
}

/// Returns the circle or ring of an aperture; no value for other apertures and for sectors of
/// rings.
std::optional<MirrorRectangle> find_round(const Element& element) {
    const auto radii = aperture_radii(element);
    if (!radii) return std::nullopt;
    MirrorRectangle rectangle;
    rectangle.width = rectangle.height = 2.0 * radii->outer;
    rectangle.outline.kind = FacetOutlineKind::round;
    if (radii->inner != 0.0) rectangle.outline.hole = radii->inner / radii->outer;
    return rectangle;
}

/// Returns the rectangle about a convex polygon. It is centred on the element's origin if the
/// origin is within the polygon's range, so that curved mirrors have their vertex in the middle.
std::optional<MirrorRectangle> find_polygon(const Outline& corners) {
    Vec2 low = corners.front(), high = corners.front();
    for (const auto& corner : corners) {
        for (size_t i = 0; i < 2; ++i) {
            low[i] = std::min(low[i], corner[i]);
            high[i] = std::max(high[i], corner[i]);
        }
    }
    if (low[0] < 0.0 && low[1] < 0.0 && high[0] > 0.0 && high[1] > 0.0) {
        for (size_t i = 0; i < 2; ++i) {
            high[i] = std::max(high[i], -low[i]);
            low[i] = -high[i];
        }
    }
    MirrorRectangle rectangle;
    rectangle.width = high[0] - low[0];
    rectangle.height = high[1] - low[1];
    if (!(rectangle.width > 0.0) || !(rectangle.height > 0.0)) return std::nullopt;
    rectangle.center = {0.5 * (low[0] + high[0]), 0.5 * (low[1] + high[1])};
    rectangle.outline.kind = FacetOutlineKind::polygon;
    for (const auto& corner : corners)
        rectangle.outline.corners.push_back(
            {2.0 * (corner[0] - rectangle.center[0]) / rectangle.width,
             2.0 * (corner[1] - rectangle.center[1]) / rectangle.height});
    return rectangle;
}

/// Returns twice the area of a triangle, positive if its corners go counter-clockwise.
double turn_of(const Vec2& a, const Vec2& b, const Vec2& c) {
    return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]);
}

/// Returns the two triangles of a quadrilateral that is not convex, or the outline itself.
std::vector<Outline> split_quadrilateral(const Outline& corners) {
    if (corners.size() != 4) return {corners};
    for (size_t first = 0; first < 2; ++first) {
        const auto corner = [&](size_t i) { return corners[(first + i) % 4]; };
        const double one = turn_of(corner(0), corner(1), corner(2));
        const double other = turn_of(corner(0), corner(2), corner(3));
        const double across = turn_of(corner(1), corner(2), corner(3));
        const double rest = turn_of(corner(1), corner(3), corner(0));
        // The diagonal from corner 0 to 2 is inside, that from 1 to 3 is not.
        if (one * other > 0.0 && across * rest < 0.0)
            return {{corner(0), corner(1), corner(2)}, {corner(0), corner(2), corner(3)}};
    }
    return {corners};
}

/// Returns the pieces of a sector of an annulus, which lies about the x axis.
std::vector<Outline> cut_sector(const Element& element) {
    const auto& size = element.aperture_values;
    if (!(size[0] >= 0.0) || !(size[1] > size[0]) || !(size[2] > 0.0)) return {};
    const auto count = static_cast<size_t>(std::ceil(size[2] / kPieceAngle));
    const double piece = size[2] * kRadiansPerDegree / static_cast<double>(count);
    // Moves the corners so far out that the chords enclose the area of the arcs.
    const double factor = std::sqrt(piece / std::sin(piece));
    std::vector<Outline> pieces;
    for (size_t i = 0; i < count; ++i) {
        const double from = piece * static_cast<double>(i) - 0.5 * size[2] * kRadiansPerDegree;
        Outline corners;
        const auto add_corner = [&](double radius, double angle) {
            corners.push_back(
                {factor * radius * std::cos(angle), factor * radius * std::sin(angle)});
        };
        add_corner(size[0], from);
        add_corner(size[1], from);
        add_corner(size[1], from + piece);
        if (size[0] > 0.0) add_corner(size[0], from + piece);
        pieces.push_back(std::move(corners));
    }
    return pieces;
}

}  // namespace

Vec2 point_of(const MirrorRectangle& rectangle, double right, double up) {
    const double x = 0.5 * rectangle.width * right, y = 0.5 * rectangle.height * up;
    const auto& [c, s] = rectangle.x_axis;
    return {rectangle.center[0] + x * c - y * s, rectangle.center[1] + x * s + y * c};
}

bool is_inside(const FacetOutline& outline, double right, double up) {
    const double radius = std::hypot(right, up);
    switch (outline.kind) {
        case FacetOutlineKind::rectangle:
            break;
        case FacetOutlineKind::round:
            return radius <= 1.0 && radius >= outline.hole;
        case FacetOutlineKind::polygon: {
            const auto& corners = outline.corners;
            for (size_t i = 0; i < corners.size(); ++i)
                if (turn_of(corners[i], corners[(i + 1) % corners.size()], {right, up}) < 0.0)
                    return false;
            return true;
        }
    }
    return std::max(std::abs(right), std::abs(up)) <= 1.0;
}

double reach_of(const MirrorRectangle& rectangle) {
    Facet facet;
    facet.canting_e = {0.5 * rectangle.width, 0.0, 0.0};
    facet.canting_n = {0.0, 0.5 * rectangle.height, 0.0};
    facet.outline = rectangle.outline;
    return facet_reach(facet);
}

std::vector<MirrorRectangle> find_parts(const Element& element, const Findings& findings) {
    const auto refuse = [&](const std::string& what) {
        findings.unsupported(element, what);
        return std::vector<MirrorRectangle>{};
    };
    const std::string aperture = aperture_name(element.aperture);
    if (element.aperture == 'l' && element.aperture_values[0] > element.aperture_values[1])
        return refuse(fmt::format("its aperture is a section from {} to {} m",
                                  element.aperture_values[0],
                                  element.aperture_values[1]));
    std::vector<std::optional<MirrorRectangle>> found;
    if (auto round = find_round(element)) {
        found.push_back(std::move(round));
    } else if (const auto corners = aperture_corners(element)) {
        auto rectangle = find_rectangle(*corners);
        if (rectangle) {
            found.push_back(std::move(rectangle));
        } else {
            for (const Outline& part : split_quadrilateral(*corners))
                found.push_back(find_polygon(part));
        }
    } else if (element.aperture == 'a') {
        for (const Outline& part : cut_sector(element)) found.push_back(find_polygon(part));
    }
    if (found.empty())
        return refuse(
            fmt::format("its aperture is {}, mirrors are convex polygons or round", aperture));
    std::vector<MirrorRectangle> parts;
    for (auto& part : found) {
        if (!part || !(part->width > 0.0) || !(part->height > 0.0))
            return refuse(fmt::format("its aperture is {} of {} x {} m",
                                      aperture,
                                      part ? part->width : 0.0,
                                      part ? part->height : 0.0));
        if (const auto fault = make_valid(part->outline))
            return refuse(fmt::format("its aperture is {}: {}", aperture, fault->what));
        parts.push_back(std::move(*part));
    }
    return parts;
}

}  // namespace helioray::soltrace
