// SPDX-License-Identifier: MIT
// Messages about the parts of a project that cannot be represented.
#include "scenario/import/soltrace/conversion.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

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

void Findings::problem(int line,
                       const std::string& what,
                       const std::string& why,
                       const std::string& advice) const {
    log_.problem(project_.where(line), what, why, advice);
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
            return "a general conic with polynomial";
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
