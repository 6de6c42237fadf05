// SPDX-License-Identifier: MIT
// Converts the elements that take the light of the field's mirrors: to targets, and several of them
// to a receiver.
#include "scenario/files/units.h"
#include "scenario/import/soltrace/conversion.h"
#include "scenario/import/soltrace/receiver_faces.h"
#include "scenario/import/soltrace/round_surfaces.h"
#include "scenario/types/receivers.h"
#include "scenario/types/vector_math.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <optional>
#include <set>

namespace helioray::soltrace {

namespace {

constexpr double kTurnRounding = 1e-4;  // tolerance of axes that should be horizontal, radians

/// Places a polygon in a plane: the rectangle around it with its outline.
bool place_polygon(const Element& element,
                   const Frame& frame,
                   const Outline& corners,
                   const Findings& findings,
                   Target& target) {
    PlanarTarget plane;
    plane.normal = front_normal(frame);
    const auto axes = flat_axes(plane.normal);
    std::array<double, 2> low{}, high{};
    for (size_t i = 0; i < corners.size(); ++i) {
        const Vec3 corner = frame.direction({corners[i][0], corners[i][1], 0.0});
        const std::array<double, 2> place{dot(corner, axes[0]), dot(corner, axes[1])};
        for (size_t k = 0; k < 2; ++k) {
            low[k] = i == 0 ? place[k] : std::min(low[k], place[k]);
            high[k] = i == 0 ? place[k] : std::max(high[k], place[k]);
        }
        target.outline.push_back(place);
    }
    const double right = 0.5 * (low[0] + high[0]), up = 0.5 * (low[1] + high[1]);
    for (auto& corner : target.outline) corner = {corner[0] - right, corner[1] - up};
    plane.center = add(frame.origin, add(scaled(right, axes[0]), scaled(up, axes[1])));
    plane.width = high[0] - low[0];
    plane.height = high[1] - low[1];
    target.geometry = plane;
    const auto fault = make_convex(target.outline);
    if (fault)
        findings.unsupported(
            element,
            fmt::format("its aperture is {}: {}", aperture_name(element.aperture), fault->what));
    return !fault;
}

bool convert_rectangle(const Element& element,
                       const Frame& frame,
                       const Outline& corners,
                       const Findings& findings,
                       Target& target) {
    PlanarTarget plane;
    plane.center = frame.point({0.5 * (corners[0][0] + corners[1][0]), 0.0, 0.0});
    plane.normal = front_normal(frame);
    plane.width = corners[1][0] - corners[0][0];
    plane.height = corners[2][1] - corners[1][1];
    if (!(plane.width > 0.0) || !(plane.height > 0.0)) {
        findings.unsupported(element,
                             fmt::format("its aperture is {} x {} m", plane.width, plane.height));
        return false;
    }
    const auto axes = flat_axes(plane.normal);
    const double turn = std::remainder(
        std::atan2(-dot(frame.axes[1], axes[0]), dot(frame.axes[1], axes[1])), std::numbers::pi);
    const bool is_upright = std::abs(turn) <= kTurnRounding;
    const bool is_on_its_side = std::abs(std::abs(turn) - 0.5 * std::numbers::pi) < kTurnRounding;
    if (!is_upright && !is_on_its_side)
        return place_polygon(element, frame, corners, findings, target);
    if (is_on_its_side) std::swap(plane.width, plane.height);
    target.geometry = plane;
    return true;
}

bool convert_disc(const Element& element,
                  const Frame& frame,
                  double radius,
                  const Findings& findings,
                  Target& target) {
    if (!(radius > 0.0)) {
        findings.unsupported(element, fmt::format("a circle of radius {} m", radius));
        return false;
    }
    target.geometry = DiscTarget{frame.origin, front_normal(frame), radius};
    return true;
}

bool convert_ring(const Element& element,
                  const Frame& frame,
                  bool is_virtual,
                  const Findings& findings,
                  Target& target) {
    const auto& size = element.aperture_values;
    if (!(size[0] > 0.0) || !(size[1] > size[0]) || !(size[2] > 0.0)) {
        findings.unsupported(
            element,
            fmt::format("an annulus with the radii {} and {} m over {} degrees; its hole is larger "
                        "than 0 and smaller than its rim",
                        size[0],
                        size[1],
                        size[2]));
        return false;
    }
    if (is_virtual) {
        findings.unsupported(
            element, "it is an annulus in a virtual stage; annuli are surfaces of receivers");
        return false;
    }
    AnnularTarget ring;
    ring.center = frame.origin;
    ring.normal = front_normal(frame);
    ring.inner_radius = size[0];
    ring.radius = size[1];
    if (aperture_radii(element)) {
        ring.middle = flat_axes(ring.normal)[1];
    } else {
        // A sector lies about the element's x axis.
        ring.middle = perpendicular(frame.axes[0], ring.normal);
        ring.opening_angle = size[2] * kRadiansPerDegree;
    }
    target.geometry = ring;
    return true;
}

bool convert_flat(const Element& element,
                  const Frame& frame,
                  bool is_virtual,
                  const Findings& findings,
                  Target& target) {
    const char aperture = element.aperture;
    const auto radii = aperture_radii(element);
    if (radii && radii->inner == 0.0)
        return convert_disc(element, frame, radii->outer, findings, target);
    if (aperture == 'a') return convert_ring(element, frame, is_virtual, findings, target);
    const auto corners = aperture_corners(element);
    if (!corners) {
        findings.unsupported(
            element,
            fmt::format("its aperture is {}; flat receivers are convex polygons, circles or rings",
                        aperture_name(aperture)));
        return false;
    }
    return aperture == 'r' || aperture == 'l'
               ? convert_rectangle(element, frame, *corners, findings, target)
               : place_polygon(element, frame, *corners, findings, target);
}

/// Converts a full cylinder (surface t, aperture l of widths 0) or a part of one (surface s,
/// aperture l, as SolTrace bends such a sphere along x only).
bool convert_cylinder(const Element& element,
                      const Frame& frame,
                      const Findings& findings,
                      Target& target) {
    const double curvature = element.surface_values[0];
    const auto& size = element.aperture_values;
    const bool is_full = size[0] == 0.0 && size[1] == 0.0;
    if (element.aperture != 'l' || is_full != (element.surface == 't')) {
        findings.unsupported(element,
                             element.surface == 't'
                                 ? "a cylinder of surface t is a full one, of aperture l with "
                                   "widths 0 and 0; a part of a cylinder has surface s"
                                 : "a part of a cylinder has aperture l with limits along x");
        return false;
    }
    if (!(curvature > 0.0) || !(size[2] > 0.0)) {
        findings.unsupported(
            element,
            fmt::format("a cylinder of curvature {} 1/m and length {} m", curvature, size[2]));
        return false;
    }
    if (!is_full && (!(size[0] < size[1]) || std::max(-size[0], size[1]) * curvature > 1.0)) {
        findings.unsupported(element,
                             fmt::format("a part from {} to {} m of a cylinder of radius {} m",
                                         size[0],
                                         size[1],
                                         1.0 / curvature));
        return false;
    }
    // The element's origin is on the surface; its z axis points to the cylinder's axis, which is y.
    CylindricalTarget cylinder;
    cylinder.radius = 1.0 / curvature;
    cylinder.height = size[2];
    cylinder.center = frame.point({0.0, 0.0, cylinder.radius});
    cylinder.axis = frame.axes[1];
    if (cylinder.axis[2] < 0.0) cylinder.axis = scaled(-1.0, cylinder.axis);
    cylinder.side = CylindricalTarget::Side::inner;
    if (is_full) {
        cylinder.opening_angle = 2.0 * std::numbers::pi;
        const Vec3 north = subtract({0, 1, 0}, scaled(cylinder.axis[1], cylinder.axis));
        cylinder.normal = norm(north) > 1e-6 ? normalized(north) : frame.axes[2];
    } else {
        const double from = std::asin(std::max(-1.0, size[0] * curvature));
        const double to = std::asin(std::min(1.0, size[1] * curvature));
        const double middle = 0.5 * (from + to);
        cylinder.opening_angle = to - from;
        cylinder.normal = frame.direction({std::sin(middle), 0.0, -std::cos(middle)});
    }
    target.geometry = cylinder;
    return true;
}

/// The faces of an element that absorb light.
struct Absorption {
    bool front = true;
    bool back = true;
};

Absorption find_absorption(const Project& project, const Placed& placed) {
    const OpticPair* pair = find_optic(project, *placed.element);
    if (placed.stage->is_virtual || !pair) return {};
    return {pair->front.reflectivity < kMirrorReflectivity,
            pair->back.reflectivity < kMirrorReflectivity};
}

/// Sets the target's shape with the element's front as the lit face. Returns false if the element
/// cannot be represented.
bool convert_shape(const Project& project,
                   const Placed& placed,
                   const Findings& findings,
                   Target& target) {
    const Element& element = *placed.element;
    if (!placed.stage->is_virtual && element.interaction != 2) {
        findings.unsupported(element, "it refracts light");
        return false;
    }
    const bool is_conic = element.surface == 's' || element.surface == 'p' ||
                          element.surface == 'o' || element.surface == 'g';
    const bool is_plane =
        is_conic && element.surface_values[0] == 0.0 &&
        (element.surface == 's' || element.surface == 'o' || element.surface_values[1] == 0.0);
    if (element.surface == 'f' || is_plane)
        return convert_flat(element, placed.frame, placed.stage->is_virtual, findings, target);
    if (element.surface == 't' || (element.surface == 's' && element.aperture == 'l'))
        return convert_cylinder(element, placed.frame, findings, target);
    const Absorption absorbs = find_absorption(project, placed);
    const bool is_mirror = !absorbs.front || !absorbs.back;
    return convert_round(project, element, placed.frame, is_mirror, findings, target);
}

/// Gives targets and receivers unique names.
class Names {
  public:
    std::string make(std::string name, int number) {
        std::replace(name.begin(), name.end(), '/', '_');
        if (name.empty() || name == ".") name = "receiver";
        while (!taken_.insert(name).second) name = fmt::format("{}_{}", name, number);
        return name;
    }

    std::string make(const Placed& placed) {
        const std::string& stage = placed.stage->name;
        const int number = placed.element->number;
        return make(placed.element->comment.empty()
                        ? fmt::format("{}_{}", stage.empty() ? "receiver" : stage, number)
                        : placed.element->comment,
                    number);
    }

  private:
    std::set<std::string> taken_;
};

bool is_full_cylinder(const Target& target) {
    const auto* cylinder = std::get_if<CylindricalTarget>(&target.geometry);
    return cylinder && cylinder->opening_angle >= 2.0 * std::numbers::pi;
}

/// Places from which light comes to the surfaces, metres, ENU.
struct LightPlaces {
    std::vector<Vec3> mirrors;      ///< mirrors of the field
    std::vector<Vec3> secondaries;  ///< elements that may reflect the light of the mirrors
};

/// Returns the view of both faces of a surface whose front is the lit one: that of the mirrors for
/// a surface that reflects, that of secondary mirrors for others, if there is any; otherwise that
/// of the other places. Mirrors surround a full cylinder, whose front is its inside.
FaceView view_of(const std::vector<Target>& fronts,
                 size_t i,
                 const LightPlaces& places,
                 bool reflects) {
    if (is_full_cylinder(fronts[i])) return {0.0, 1.0};
    const FaceView first = view_of_faces(fronts, i, reflects ? places.mirrors : places.secondaries);
    if (first.lit > 0.0 || first.other > 0.0) return first;
    return view_of_faces(fronts, i, reflects ? places.secondaries : places.mirrors);
}

/// The face of an element on which light counts.
struct Face {
    bool is_back = false;
    bool reflects = false;
};

/// Makes the face on which light counts the lit one: of two that absorb, or reflect, the one that
/// is seen better; otherwise the front if it reflects or is seen, the back if only that is seen.
Face choose_face(const Placed& placed,
                 const Absorption& absorbs,
                 const FaceView& view,
                 const Findings& findings,
                 Target& target) {
    const Element& element = *placed.element;
    const bool are_alike = absorbs.front == absorbs.back;
    const bool is_seen_from_back = view.other > 0.0 && view.lit == 0.0;
    // A concentrator's light is inside.
    const bool is_wall = std::holds_alternative<ConcentratorTarget>(target.geometry);
    const bool turns = is_wall ? false : are_alike ? view.other > view.lit : is_seen_from_back;
    const bool reflects = turns ? !absorbs.back : !absorbs.front;
    if (turns) turn_over(target);
    if (is_full_cylinder(target)) return {turns, reflects};
    if (turns)
        findings.remark(element.line,
                        are_alike && !reflects
                            ? "receiver's normal reversed, towards the mirrors: targets are lit "
                              "from their front"
                            : "normal reversed: light meets the element's back");
    const double unlit = turns ? view.lit : view.other;
    if (unlit > 0.0)
        findings.remark(element.line,
                        fmt::format("{:.2g} of the mirrors' view is of the other face, where "
                                    "SolTrace counts light, too; here it is lost there",
                                    unlit / (view.lit + view.other)));
    return {turns, reflects};
}

/// Returns the front of a mirror with the optics of a side. Slopes and specularity errors together
/// are as wide as slopes of the returned error.
SurfaceAbsorption convert_front(const Project& project,
                                const OpticSide& side,
                                const Findings& findings) {
    const bool has_errors = !project.trace || project.trace->has_errors;
    double slope = has_errors ? std::hypot(side.slope_error, 0.5 * side.specularity_error) : 0.0;
    if (side.distribution == 'p' && slope > 0.0) {
        // Standard deviation along one axis of a uniform disc.
        slope *= 0.5;
        findings.remark(side.line,
                        "pillbox errors of a secondary mirror: Gaussian ones of the same width");
    }
    SurfaceAbsorption front = mirror_front(side.reflectivity, 1e-3 * slope);
    for (const auto& [angle, reflectivity] : side.table) {
        if (front.table.empty() && angle > 0.0) front.table.push_back({0.0, 1.0 - reflectivity});
        front.table.push_back({1e-3 * angle / kRadiansPerDegree, 1.0 - reflectivity});
    }
    return front;
}

/// Reports that SolTrace's closed form intersects both sheets of a hyperboloid
/// (coretrace/quadricsurfaceclosedform.cpp): light that the outside of a sheet has reflected meets
/// the other sheet next.
void report_other_sheet(const Placed& placed, const Target& target, const Findings& findings) {
    const auto* quadric = std::get_if<QuadricTarget>(&target.geometry);
    if (placed.element->surface != 'o' || !quadric || quadric->conic_constant >= -1.0 ||
        quadric->side != QuadricTarget::Side::outer || !placed.stage->has_multiple_hits)
        return;
    findings.remark(placed.element->line,
                    "MULTIHIT 1: in SolTrace the light that this hyperboloid reflects meets the "
                    "hyperboloid's other sheet, too; the hits there count as its own, and the "
                    "light does not reach the next stage. Here it has one sheet, as in SolTrace "
                    "with MULTIHIT 0");
}

/// Returns true for targets that need no receiver.
bool stands_alone(const Target& target) {
    return target.use == SurfaceUse::absorber &&
           std::visit([](const auto& shape) { return shape.kStandsAlone; }, target.geometry);
}

/// Names targets, and joins them to a receiver if they are surfaces of one.
void name_surfaces(const Project& project,
                   const std::vector<Placed>& placed,
                   const Findings& findings,
                   Scenario& scenario) {
    std::vector<Target>& surfaces = scenario.targets;
    Names names;
    const auto first = std::ranges::find(surfaces, SurfaceUse::absorber, &Target::use);
    const Stage& stage = *placed[static_cast<size_t>(first - surfaces.begin())].stage;
    // Light passes through the elements of a virtual stage.
    const bool may_stand_alone =
        std::ranges::all_of(surfaces, stands_alone) && (surfaces.size() == 1 || stage.is_virtual);
    if (!may_stand_alone) {
        const std::string name = names.make(stage.name, 1);
        scenario.receivers.push_back(Receiver{name});
        for (Target& target : surfaces) target.receiver = name;
        findings.remark(stage.line,
                        fmt::format("receiver '{}' of {} surfaces: light counts on the nearest "
                                    "one, on one face of each",
                                    name,
                                    surfaces.size()));
    }
    for (size_t i = 0; i < surfaces.size(); ++i) {
        surfaces[i].name = names.make(placed[i]);
        findings.remark(placed[i].element->line, fmt::format("target '{}'", surfaces[i].name));
    }
    const auto line_of = [&](const Target& target) {
        for (size_t i = 0; i < surfaces.size(); ++i)
            if (surfaces[i].name == target.name) return placed[i].element->line;
        return stage.line;
    };
    const SurfacePlaces places{
        [&](const Target& target, const std::string&) { return project.where(line_of(target)); },
        [&](const Receiver&, const std::string&) { return project.where(stage.line); }};
    for (const Problem& problem : check_receivers(surfaces, scenario.receivers, places))
        findings.problem(problem);
}

/// Reports that light ends nowhere.
void report_no_absorber(const std::vector<Placed>& elements, const Findings& findings) {
    const int line = elements.empty() ? 0 : elements.front().stage->line;
    findings.problem(line,
                     "no element absorbs light",
                     "SolTrace counts hits on mirrors, too; here light ends on receivers, whose "
                     "reflectivity is below 0.5",
                     "add a receiver, or a virtual stage after the mirrors");
}

}  // namespace

void convert_receivers(const Project& project,
                       const std::vector<Placed>& elements,
                       const std::vector<Vec3>& mirrors,
                       const Findings& findings,
                       Scenario& scenario) {
    std::vector<Placed> placed;
    std::vector<Target> fronts;
    LightPlaces places{mirrors, {}};
    bool is_complete = true;
    for (const Placed& element : elements) {
        Target target;
        if (!convert_shape(project, element, findings, target)) {
            is_complete = false;
            continue;
        }
        const Absorption absorbs = find_absorption(project, element);
        if (!absorbs.front || !absorbs.back) places.secondaries.push_back(element.frame.origin);
        placed.push_back(element);
        fronts.push_back(std::move(target));
    }
    std::vector<Target>& surfaces = scenario.targets;
    bool has_absorbers = false;
    for (size_t i = 0; i < fronts.size(); ++i) {
        Target target = fronts[i];
        const Absorption absorbs = find_absorption(project, placed[i]);
        const FaceView view = view_of(fronts, i, places, !absorbs.front || !absorbs.back);
        const Face face = choose_face(placed[i], absorbs, view, findings, target);
        has_absorbers = has_absorbers || !face.reflects;
        if (face.reflects) {
            const OpticPair* optic = find_optic(project, *placed[i].element);
            target.use = SurfaceUse::mirror;
            target.absorption =
                convert_front(project, face.is_back ? optic->back : optic->front, findings);
            report_other_sheet(placed[i], target, findings);
        }
        surfaces.push_back(std::move(target));
    }
    if (!has_absorbers) {
        if (is_complete && !elements.empty()) report_no_absorber(elements, findings);
        surfaces.clear();
        return;
    }
    name_surfaces(project, placed, findings, scenario);
}

}  // namespace helioray::soltrace
