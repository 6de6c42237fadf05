// SPDX-License-Identifier: MIT
// Messages about the parts of a project that cannot be represented.
#include "scenario/import/soltrace/conversion.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <numbers>

namespace helioray::soltrace {

void Findings::unsupported(const Element& element, const std::string& what) const {
    const std::string where = project_.where(element.line);
    if (skips()) {
        log_.warn(where, fmt::format("element left out: {}", what));
        return;
    }
    log_.problem(where,
                 fmt::format("element {}: {}", element.number, what),
                 "it cannot be represented",
                 "remove it, or give --skip-unsupported to leave it out");
}

void Findings::unreadable(const Element& element, const Problem& problem) const {
    const std::string where = project_.where(element.line);
    if (skips()) {
        log_.warn(where, fmt::format("element left out: {} {}", problem.where, problem.what));
        return;
    }
    log_.problem(where,
                 fmt::format("element {}: {} {}", element.number, problem.where, problem.what),
                 problem.why,
                 problem.advice + ", or give --skip-unsupported to leave the element out");
}

void Findings::problem(int line,
                       const std::string& what,
                       const std::string& why,
                       const std::string& advice) const {
    log_.problem(project_.where(line), what, why, advice);
}

void Findings::problem(const Problem& problem) const {
    log_.problem(problem.where, problem.what, problem.why, problem.advice);
}

void Findings::remark(int line, const std::string& text) const {
    log_.warn(project_.where(line), text);
}

std::string aperture_name(char aperture) {
    switch (aperture) {
        case 'r':
            return "a rectangle";
        case 'c':
            return "a circle";
        case 'h':
            return "a hexagon";
        case 't':
            return "a triangle";
        case 'a':
            return "an annulus";
        case 'l':
            return "a section of single-axis curvature";
        case 'i':
            return "an irregular triangle";
        case 'q':
            return "an irregular quadrilateral";
        default:
            return fmt::format("'{}'", aperture);
    }
}

std::string surface_name(char surface) {
    switch (surface) {
        case 'f':
            return "flat";
        case 'p':
            return "parabolic";
        case 's':
            return "spherical";
        case 't':
            return "a cylinder";
        case 'c':
            return "a cone";
        case 'd':
            return "a torus";
        case 'o':
            return "a hyperboloid or ellipsoid";
        case 'g':
            return "a general conic";
        case 'm':
            return "a Zernike series";
        case 'v':
            return "VSHOT data";
        case 'r':
            return "a rotationally symmetric polynomial";
        case 'i':
            return "a cubic spline";
        case 'e':
            return "finite element data";
        default:
            return fmt::format("'{}'", surface);
    }
}

std::optional<Outline> aperture_corners(const Element& element) {
    const auto& size = element.aperture_values;
    const auto rectangle = [](double left, double right, double height) {
        return Outline{{left, -0.5 * height},
                       {right, -0.5 * height},
                       {right, 0.5 * height},
                       {left, 0.5 * height}};
    };
    const double radius = 0.5 * size[0];  // radius of the circle around a hexagon or triangle
    switch (element.aperture) {
        case 'r':
            return rectangle(-0.5 * size[0], 0.5 * size[0], size[1]);
        case 'l':
            if (size[0] == 0.0 && size[1] == 0.0) return std::nullopt;
            return rectangle(size[0], size[1], size[2]);
        case 'h': {
            const double high = radius * 0.5 * std::numbers::sqrt3;
            return Outline{{radius, 0.0},
                           {0.5 * radius, high},
                           {-0.5 * radius, high},
                           {-radius, 0.0},
                           {-0.5 * radius, -high},
                           {0.5 * radius, -high}};
        }
        case 't': {
            const double wide = radius * 0.5 * std::numbers::sqrt3;
            return Outline{{0.0, radius}, {-wide, -0.5 * radius}, {wide, -0.5 * radius}};
        }
        case 'i':
            return Outline{{size[0], size[1]}, {size[2], size[3]}, {size[4], size[5]}};
        case 'q':
            return Outline{
                {size[0], size[1]}, {size[2], size[3]}, {size[4], size[5]}, {size[6], size[7]}};
        default:
            return std::nullopt;
    }
}

std::optional<Radii> aperture_radii(const Element& element) {
    constexpr double kFullTurn = 360.0;  // degrees
    const auto& size = element.aperture_values;
    if (element.aperture == 'c') return Radii{0.0, 0.5 * size[0]};
    if (element.aperture == 'a' && size[2] >= kFullTurn) return Radii{size[0], size[1]};
    return std::nullopt;
}

bool has_equal_curvatures(const Element& element) {
    const double along_x = element.surface_values[0], along_y = element.surface_values[1];
    return std::abs(along_y - along_x) <= 1e-6 * std::abs(along_x);
}

const OpticPair* find_optic(const Project& project, const Element& element) {
    // SolTrace compares names without regard to case.
    const auto same = [](char a, char b) {
        return std::tolower(static_cast<unsigned char>(a)) ==
               std::tolower(static_cast<unsigned char>(b));
    };
    const auto it =
        std::find_if(project.optics.begin(), project.optics.end(), [&](const OpticPair& pair) {
            return std::equal(pair.name.begin(),
                              pair.name.end(),
                              element.optic.begin(),
                              element.optic.end(),
                              same);
        });
    return it == project.optics.end() ? nullptr : &*it;
}

}  // namespace helioray::soltrace
