// SPDX-License-Identifier: MIT
// Evaluates B-splines on clamped, equidistant knots (ARTIST's NURBS with all weights 1) with
// checked arguments.
#pragma once

#include "kernels/surface/bspline.h"

#include <array>
#include <cstdint>
#include <span>
#include <vector>

namespace helioray {

/// Returns clamped, equidistant knots in [0, 1] for n control points of degree p: p zeros, n - p +
/// 1 equidistant values, p ones. Throws std::invalid_argument unless 1 <= p < n.
std::vector<double> clamped_uniform_knots(int64_t num_control_points, int64_t degree);

/// Returns the degree + 1 non-zero basis functions at a parameter in [0, 1], both ends included,
/// and their derivatives. Throws std::invalid_argument for a parameter outside, for a degree that
/// is not in [1, kernels::kMaxDegree] and for too few control points.
kernels::BasisValues<double> bspline_basis(double parameter,
                                           int64_t num_control_points,
                                           int64_t degree);

/// Returns point and tangents of a surface at uv in [0, 1]^2, u along the first index of the
/// control points [nu, nv, 3]. Throws std::invalid_argument like bspline_basis(), and if there are
/// not 3 nu nv numbers.
kernels::SurfacePatch<double> evaluate_bspline(std::span<const double> control_points,
                                               const std::array<int64_t, 2>& num_control_points,
                                               const std::array<int64_t, 2>& degrees,
                                               const std::array<double, 2>& uv);

}  // namespace helioray
