// SPDX-License-Identifier: MIT
// Surfaces of SolTrace's elements as heights above their x-y plane. Internal to the conversion.
#pragma once

#include "scenario/import/soltrace/conversion.h"

#include <array>
#include <functional>
#include <optional>
#include <vector>

namespace helioray::soltrace {

/// Returns the height of a surface at (x, y) in the frame of its element, metres; no finite number
/// where the surface has no point.
using Heights = std::function<double(double x, double y)>;

/// Returns z = (c_x x^2 + c_y y^2) / (1 + sqrt(1 - k ((c_x x)^2 + (c_y y)^2))) with curvatures in
/// 1/m: a hyperboloid for k < 0, a paraboloid for 0, an ellipsoid for k > 0 (1: a sphere).
Heights conic_heights(double curvature_x, double curvature_y, double k);

/// Radius and height of the points of a cubic spline, and its slopes at both ends.
struct RadialSpline {
    std::vector<std::array<double, 2>> points;  ///< metres, ascending radius
    std::array<double, 2> end_slopes{};         ///< dz/dr at the first and the last point
};

/// Reads a .csi file. Throws InputError if it is not one.
RadialSpline read_spline(const std::filesystem::path& file);

/// Returns the interpolating cubic spline by radius; no finite number beyond its ends.
std::function<double(double radius)> interpolate(const RadialSpline& spline);

/// Returns the path of an element's surface file, which is relative to the project.
std::filesystem::path surface_file(const Project& project, const Element& element);

/// Returns the heights of a surface other than a plane, cylinder or torus, or reports why there are
/// none: a file that cannot be read, or data that SolTrace interpolates.
std::optional<Heights> find_heights(const Project& project,
                                    const Element& element,
                                    const Findings& findings);

}  // namespace helioray::soltrace
