// SPDX-License-Identifier: MIT
// Converts mirror elements to heliostats of one facet, and the optics of all mirrors.
#include "scenario/import/field/heliostat_surfaces.h"
#include "scenario/import/soltrace/conversion.h"
#include "scenario/types/component_rules.h"
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

using Vec2 = std::array<double, 2>;

double dot2(const Vec2& a, const Vec2& b) {
    return a[0] * b[0] + a[1] * b[1];
}

/// A rectangle in the x-y plane of an element, metres, and the part of it that is the mirror.
struct MirrorRectangle {
    Vec2 center{};
    Vec2 x_axis{1, 0};  ///< unit vector along its width
    double width = 0.0;
    double height = 0.0;
    FacetOutline outline = {};
};

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
    const auto& size = element.aperture_values;
    constexpr double kFullTurn = 360.0;  // degrees
    const bool is_ring = element.aperture == 'a' && size[2] >= kFullTurn;
    if (element.aperture != 'c' && !is_ring) return std::nullopt;
    MirrorRectangle rectangle;
    rectangle.width = rectangle.height = is_ring ? 2.0 * size[1] : size[0];
    rectangle.outline.kind = FacetOutlineKind::round;
    if (is_ring) rectangle.outline.hole = size[0] / size[1];
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

/// Returns the largest distance of the mirror from the rectangle's centre, metres.
double reach_of(const MirrorRectangle& rectangle) {
    Facet facet;
    facet.canting_e = {0.5 * rectangle.width, 0.0, 0.0};
    facet.canting_n = {0.0, 0.5 * rectangle.height, 0.0};
    facet.outline = rectangle.outline;
    return facet_reach(facet);
}

/// Control points of z = (c_x x^2 + c_y y^2) / 2 over a rectangle, in the element's frame: exact,
/// because a biquadratic Bezier patch contains every quadratic polynomial. Its control points are
/// the polar form of the polynomial at the ends and at the middle of both sides.
std::vector<Vec3> quadratic_patch(const MirrorRectangle& rectangle, const Vec2& curvature) {
    const Vec2 half_x{0.5 * rectangle.width * rectangle.x_axis[0],
                      0.5 * rectangle.width * rectangle.x_axis[1]};
    const Vec2 half_y{-0.5 * rectangle.height * rectangle.x_axis[1],
                      0.5 * rectangle.height * rectangle.x_axis[0]};
    const auto form = [&](const Vec2& a, const Vec2& b) {
        return 0.5 * (curvature[0] * a[0] * b[0] + curvature[1] * a[1] * b[1]);
    };
    std::vector<Vec3> points;
    for (const double u : {-1.0, 0.0, 1.0}) {
        for (const double v : {-1.0, 0.0, 1.0}) {
            const Vec2& center = rectangle.center;
            const double square_u = u == 0.0 ? -1.0 : 1.0, square_v = v == 0.0 ? -1.0 : 1.0;
            points.push_back({center[0] + u * half_x[0] + v * half_y[0],
                              center[1] + u * half_x[1] + v * half_y[1],
                              form(center, center) + 2.0 * u * form(center, half_x) +
                                  2.0 * v * form(center, half_y) + square_u * form(half_x, half_x) +
                                  square_v * form(half_y, half_y) +
                                  2.0 * u * v * form(half_x, half_y)});
        }
    }
    return points;
}

Vec3 turned(const Vec3& v, double roll) {
    return {std::cos(roll) * v[0] - std::sin(roll) * v[1],
            std::sin(roll) * v[0] + std::cos(roll) * v[1],
            v[2]};
}

/// Shape of a mirror: curvatures along x and y in 1/m.
struct MirrorShape {
    FacetShape facet = FacetShape::flat;
    Vec2 curvature{};
};

/// Returns the shape of a mirror's facet, or reports why there is none. Requires surface f, p or s.
std::optional<MirrorShape> find_shape(const Element& element,
                                      const MirrorRectangle& rectangle,
                                      const Findings& findings) {
    const auto refuse = [&](const std::string& what) {
        findings.unsupported(element, what);
        return std::nullopt;
    };
    const double along_x = element.surface_values[0], along_y = element.surface_values[1];
    const bool is_centred = rectangle.center == Vec2{};
    switch (element.surface) {
        case 'f':
            return MirrorShape{};
        case 'p': {
            if (along_x == 0.0 && along_y == 0.0) return MirrorShape{};
            const bool is_round = std::abs(along_y - along_x) <= 1e-6 * std::abs(along_x);
            return MirrorShape{is_round && is_centred && along_x > 0.0 ? FacetShape::paraboloid
                                                                       : FacetShape::bspline,
                               {along_x, along_y}};
        }
        case 's':
            if (along_x == 0.0) return MirrorShape{};
            if (element.aperture == 'l') return refuse("its surface is a part of a cylinder");
            if (along_x < 0.0) return refuse("it is a convex sphere");
            if (!is_centred) return refuse("its sphere is cut off centre");
            if (reach_of(rectangle) * along_x >= 1.0)
                return refuse("its sphere is smaller than its aperture");
            return MirrorShape{FacetShape::sphere, {along_x, along_x}};
        default:
            return std::nullopt;
    }
}

/// Returns the rectangle of a mirror with its outline, or reports why there is none.
std::optional<MirrorRectangle> find_mirror_rectangle(const Element& element,
                                                     const Findings& findings) {
    const auto refuse = [&](const std::string& what) {
        findings.unsupported(element, what);
        return std::nullopt;
    };
    const std::string aperture = aperture_name(element.aperture);
    const auto corners = aperture_corners(element);
    std::optional<MirrorRectangle> mirror = find_round(element);
    if (!mirror && corners) mirror = find_rectangle(*corners);
    if (!mirror && corners) mirror = find_polygon(*corners);
    std::string what;
    if (!mirror && element.aperture == 'a')
        what = "its aperture is a part of an annulus, mirrors are full ones";
    else if (!mirror)
        what = fmt::format("its aperture is {}, mirrors are convex polygons or round", aperture);
    if (std::string_view("fps").find(element.surface) == std::string_view::npos)
        what += fmt::format("{}its surface is {}, mirrors are flat, parabolic or spherical",
                            what.empty() ? "" : "; ",
                            surface_name(element.surface));
    if (!what.empty()) return refuse(what);
    const bool is_reversed =
        element.aperture == 'l' && element.aperture_values[0] > element.aperture_values[1];
    if (!(mirror->width > 0.0) || !(mirror->height > 0.0) || is_reversed)
        return refuse(fmt::format("its aperture is {} x {} m", mirror->width, mirror->height));
    if (const auto fault = make_valid(mirror->outline))
        return refuse(fmt::format("its aperture is {}: {}", aperture, fault->what));
    return mirror;
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
    auto rectangle = find_mirror_rectangle(element, findings_);
    if (!rectangle) return nullptr;
    const auto shape = find_shape(element, *rectangle, findings_);
    if (!shape) return nullptr;
    const bool is_centred = rectangle->center == Vec2{};
    const FacetOutline& outline = rectangle->outline;
    const bool is_rectangle = outline.kind == FacetOutlineKind::rectangle;
    roll = tidy_roll(roll, is_centred && is_rectangle ? std::numbers::pi : 2.0 * std::numbers::pi);
    // A round mirror of revolution is the same at every roll.
    if (outline.kind == FacetOutlineKind::round && shape->facet != FacetShape::bspline) roll = 0.0;
    // A section turned in its own plane turns the facet's sides, but not its axes of curvature.
    const double turn = std::atan2(rectangle->x_axis[1], rectangle->x_axis[0]);
    std::vector<double> key{rectangle->width,
                            rectangle->height,
                            static_cast<double>(shape->facet),
                            shape->curvature[0],
                            shape->curvature[1],
                            rectangle->center[0],
                            rectangle->center[1],
                            turn,
                            roll,
                            static_cast<double>(outline.kind),
                            outline.hole};
    for (const auto& corner : outline.corners) key.insert(key.end(), corner.begin(), corner.end());
    auto& surface = surfaces_[key];
    if (surface) return surface;
    Facet facet;
    facet.name = "facet_1";
    facet.shape = shape->facet;
    facet.outline = outline;
    const double sides = roll + turn;
    facet.canting_e = turned({0.5 * rectangle->width, 0.0, 0.0}, sides);
    facet.canting_n = turned({0.0, 0.5 * rectangle->height, 0.0}, sides);
    facet.translation = turned({rectangle->center[0], rectangle->center[1], 0.0}, roll);
    if (facet.shape == FacetShape::bspline) {
        facet.degrees = {2, 2};
        facet.num_control_points = {3, 3};
        for (const Vec3& point : quadratic_patch(*rectangle, shape->curvature)) {
            const Vec3 placed = turned(point, roll);
            facet.control_points.insert(facet.control_points.end(), placed.begin(), placed.end());
        }
    } else if (facet.shape != FacetShape::flat) {
        facet.focal_length = 0.5 / shape->curvature[0];
    }
    surface = std::make_shared<const Surface>(Surface{{facet}});
    return surface;
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

namespace {

struct SideCount {
    const OpticPair* pair = nullptr;
    size_t mirrors = 0;
};

ErrorShape error_shape(const OpticSide& side, double width_mrad) {
    if (width_mrad == 0.0) return NoError{};
    if (side.distribution == 'p') return PillboxShape{width_mrad * 1e-3};
    return GaussianShape{width_mrad * 1e-3};
}

std::string describe(const OpticPair& pair) {
    const OpticSide& side = pair.front;
    return fmt::format("'{}': reflectivity {}, slope error {} mrad, specularity error {} mrad, {}",
                       pair.name,
                       side.reflectivity,
                       side.slope_error,
                       side.specularity_error,
                       side.distribution == 'p' ? "pillbox" : "Gaussian");
}

bool same_side(const OpticSide& a, const OpticSide& b) {
    return a.distribution == b.distribution && a.reflectivity == b.reflectivity &&
           a.slope_error == b.slope_error && a.specularity_error == b.specularity_error &&
           a.table == b.table;
}

/// Sets the reflectivity to the largest of a table by angle, and its factors by angle.
void set_table(const OpticSide& side, const Findings& findings, OpticsConfig& optics) {
    double largest = 0.0;
    double before = -1.0;
    for (const auto& [angle, reflectivity] : side.table) {
        constexpr double kRightAngle = 500.0 * std::numbers::pi;  // mrad
        const bool is_angle = angle >= 0.0 && angle <= kRightAngle * (1.0 + 1e-6);
        if (!is_angle || !(angle > before) || !(reflectivity >= 0.0 && reflectivity <= 1.0)) {
            findings.problem(side.line,
                             fmt::format("a reflectivity of {} at {} mrad", reflectivity, angle),
                             "rows hold ascending angles of incidence and shares of the light",
                             "give angles from 0 to 1570.8 mrad and reflectivities from 0 to 1");
            return;
        }
        before = angle;
        largest = std::max(largest, reflectivity);
    }
    if (!(largest > 0.0)) {
        findings.problem(
            side.line, "all reflectivities by angle are 0", "mirrors reflect light", "");
        return;
    }
    optics.reflectivity = largest;
    for (const auto& [angle, reflectivity] : side.table)
        optics.reflectivity_by_angle.push_back(
            {std::min(1e-3 * angle, 0.5 * std::numbers::pi), reflectivity / largest});
    findings.remark(side.line,
                    fmt::format("reflectivity by angle of incidence in {} rows, linear between "
                                "them; SolTrace takes the mean of the rows on both sides",
                                side.table.size()));
}

}  // namespace

void convert_optics(const Project& project,
                    const std::vector<const Element*>& mirrors,
                    const Findings& findings,
                    OpticsConfig& optics) {
    std::vector<SideCount> counts;
    for (const Element* mirror : mirrors) {
        const OpticPair* pair = find_optic(project, *mirror);
        if (!pair) {
            findings.problem(mirror->line,
                             fmt::format("element {}: there are no optical properties '{}'",
                                         mirror->number,
                                         mirror->optic),
                             "its reflectivity is unknown",
                             "name a pair of the optics list");
            continue;
        }
        const auto it = std::find_if(counts.begin(), counts.end(), [&](const SideCount& count) {
            return same_side(count.pair->front, pair->front);
        });
        if (it == counts.end()) {
            counts.push_back({pair, 1});
        } else {
            ++it->mirrors;
        }
    }
    if (counts.empty()) return;
    const SideCount& most =
        *std::max_element(counts.begin(), counts.end(), [](const SideCount& a, const SideCount& b) {
            return a.mirrors < b.mirrors;
        });
    const OpticSide& side = most.pair->front;
    if (side.distribution != 'g' && side.distribution != 'p') {
        findings.problem(side.line,
                         fmt::format("optical errors of distribution '{}'", side.distribution),
                         "errors are Gaussian or a pillbox",
                         "change it in the project");
    }
    if (side.reflectivity < 0.0 || side.reflectivity > 1.0) {
        findings.problem(side.line,
                         fmt::format("reflectivity {}", side.reflectivity),
                         "it is a share of the light",
                         "give 0 to 1");
    }
    if (side.slope_error < 0.0 || side.specularity_error < 0.0) {
        findings.problem(
            side.line, "an optical error is negative", "it is a width", "give 0 or more");
    }
    findings.remark(side.line,
                    fmt::format("optics of all mirrors: front of {}", describe(*most.pair)));
    for (const SideCount& count : counts) {
        if (count.pair == most.pair) continue;
        findings.remark(count.pair->front.line,
                        fmt::format("{} mirrors have other optics, which one run cannot keep "
                                    "apart; not represented: {}",
                                    count.mirrors,
                                    describe(*count.pair)));
    }
    optics.reflectivity = side.reflectivity;
    if (!side.table.empty()) set_table(side, findings, optics);
    const bool has_errors = !project.trace || project.trace->has_errors;
    if (!has_errors)
        findings.remark(project.trace->line,
                        "ERRORS 0: mirrors have no slope and specularity errors");
    optics.slope_error = error_shape(side, has_errors ? side.slope_error : 0.0);
    optics.specularity_error = error_shape(side, has_errors ? side.specularity_error : 0.0);
}

}  // namespace helioray::soltrace
