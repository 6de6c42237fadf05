// SPDX-License-Identifier: MIT
// Converts mirror elements to heliostats of one facet, and the optics of all mirrors.
#include "scenario/import/field/heliostat_surfaces.h"
#include "scenario/import/soltrace/conversion.h"
#include "scenario/types/vector_math.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

namespace helioray::soltrace {

namespace {

// Input files have six digits, so an angle of 0 may be read as up to this value.
constexpr double kRollRounding = 2e-5;  // radians

/// Normalises the roll of a rectangle, which is equal after half a turn; values near 0 become 0.
double tidy_roll(double roll) {
    const double rest = std::remainder(roll, std::numbers::pi);
    return std::abs(rest) < kRollRounding ? 0.0 : rest;
}

}  // namespace

MirrorMaker::MirrorMaker(const Findings& findings)
    : findings_(findings),
      kinematics_(azimuth_elevation_kinematics(0.0)),
      drives_(azimuth_elevation_drives()) {}

std::shared_ptr<const Surface> MirrorMaker::make_surface(const Element& element, double roll) {
    const double width = element.aperture_values[0], height = element.aperture_values[1];
    if (element.interaction != 2) {
        findings_.unsupported(element, "it refracts light");
        return nullptr;
    }
    if (element.aperture != 'r') {
        findings_.unsupported(element,
                              fmt::format("its aperture is {}, mirrors are rectangles",
                                          aperture_name(element.aperture)));
        return nullptr;
    }
    if (!(width > 0.0) || !(height > 0.0)) {
        findings_.unsupported(element, fmt::format("its aperture is {} x {} m", width, height));
        return nullptr;
    }
    const bool curved = element.surface == 'p' || element.surface == 's';
    if (!curved && element.surface != 'f') {
        findings_.unsupported(
            element,
            fmt::format("its surface is {}; mirrors are flat, parabolic or spherical",
                        surface_name(element.surface)));
        return nullptr;
    }
    const double curvature = curved ? element.surface_values[0] : 0.0;
    if (element.surface == 'p' &&
        std::abs(element.surface_values[1] - curvature) > 1e-6 * std::abs(curvature)) {
        findings_.unsupported(
            element,
            fmt::format(
                "its curvatures {} and {} 1/m differ", curvature, element.surface_values[1]));
        return nullptr;
    }
    if (curvature < 0.0) {
        findings_.unsupported(element, "it is convex");
        return nullptr;
    }
    if (element.surface == 's' && 0.5 * std::hypot(width, height) * curvature >= 1.0) {
        findings_.unsupported(element, "its sphere is smaller than its aperture");
        return nullptr;
    }
    const bool flat = curvature == 0.0;
    const double kind = flat ? 0.0 : element.surface == 'p' ? 1.0 : 2.0;
    auto& surface = surfaces_[{width, height, kind, curvature, roll}];
    if (surface) return surface;
    Facet facet;
    facet.name = "facet_1";
    facet.shape = flat                     ? FacetShape::flat
                  : element.surface == 'p' ? FacetShape::paraboloid
                                           : FacetShape::sphere;
    facet.focal_length = flat ? 0.0 : 0.5 / curvature;
    facet.canting_e = scaled(0.5 * width, {std::cos(roll), std::sin(roll), 0.0});
    facet.canting_n = scaled(0.5 * height, {-std::sin(roll), std::cos(roll), 0.0});
    surface = std::make_shared<const Surface>(Surface{{facet}});
    return surface;
}

void MirrorMaker::add(const Element& element, const Frame& frame, size_t digits, Import& import) {
    const MirrorAngles angles = mirror_angles(frame);
    const double roll = tidy_roll(angles.roll);
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
           a.slope_error == b.slope_error && a.specularity_error == b.specularity_error;
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
    if (side.has_table) {
        const std::string text =
            fmt::format("optics '{}' depend on the angle of incidence", most.pair->name);
        if (findings.skips()) {
            findings.remark(
                side.line,
                fmt::format(
                    "{}: its table is left out, reflectivity {} taken", text, side.reflectivity));
        } else {
            findings.problem(side.line,
                             text,
                             "one reflectivity holds for all angles",
                             "give --skip-unsupported to take the plain value");
        }
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
    const bool has_errors = !project.trace || project.trace->has_errors;
    if (!has_errors)
        findings.remark(project.trace->line,
                        "ERRORS 0: mirrors have no slope and specularity errors");
    optics.slope_error = error_shape(side, has_errors ? side.slope_error : 0.0);
    optics.specularity_error = error_shape(side, has_errors ? side.specularity_error : 0.0);
}

}  // namespace helioray::soltrace
