// SPDX-License-Identifier: MIT
// Knots, basis functions and points of B-splines.
#include "raytracer/tracing/surface/bspline.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <stdexcept>

namespace helioray {

namespace {

void require_spline(int64_t num_control_points, int64_t degree, int64_t highest_degree) {
    if (degree >= 1 && degree <= highest_degree && num_control_points > degree) return;
    throw std::invalid_argument(
        fmt::format("a B-spline needs a degree of 1 to {} and more control points than its degree, "
                    "found degree {} and {} control points",
                    highest_degree,
                    degree,
                    num_control_points));
}

void require_parameter(double parameter) {
    // This condition also refuses NaN.
    if (parameter >= 0.0 && parameter <= 1.0) return;
    throw std::invalid_argument(
        fmt::format("parameter {} of a B-spline does not lie in [0, 1]", parameter));
}

}  // namespace

std::vector<double> clamped_uniform_knots(int64_t num_control_points, int64_t degree) {
    require_spline(num_control_points, degree, std::numeric_limits<int64_t>::max());
    const int64_t intervals = num_control_points - degree;
    std::vector<double> knots;
    for (int64_t i = 0; i <= num_control_points + degree; ++i) {
        const int64_t k = std::clamp<int64_t>(i - degree, 0, intervals);
        knots.push_back(static_cast<double>(k) / static_cast<double>(intervals));
    }
    return knots;
}

kernels::BasisValues<double> bspline_basis(double parameter,
                                           int64_t num_control_points,
                                           int64_t degree) {
    require_spline(num_control_points, degree, kernels::kMaxDegree);
    require_parameter(parameter);
    kernels::BasisValues<double> basis;
    kernels::bspline_basis<0>(
        parameter, static_cast<int>(num_control_points), static_cast<int>(degree), basis);
    return basis;
}

kernels::SurfacePatch<double> evaluate_bspline(std::span<const double> control_points,
                                               const std::array<int64_t, 2>& num_control_points,
                                               const std::array<int64_t, 2>& degrees,
                                               const std::array<double, 2>& uv) {
    int32_t n[2], p[2];
    for (size_t axis = 0; axis < 2; ++axis) {
        require_spline(num_control_points[axis], degrees[axis], kernels::kMaxDegree);
        require_parameter(uv[axis]);
        n[axis] = static_cast<int32_t>(num_control_points[axis]);
        p[axis] = static_cast<int32_t>(degrees[axis]);
    }
    if (control_points.size() != static_cast<size_t>(3 * num_control_points[0]) *
                                     static_cast<size_t>(num_control_points[1])) {
        throw std::invalid_argument(fmt::format("{} numbers for {} x {} control points",
                                                control_points.size(),
                                                num_control_points[0],
                                                num_control_points[1]));
    }
    kernels::SurfacePatch<double> patch;
    kernels::evaluate_bspline(control_points.data(), 0, n, p, uv[0], uv[1], patch);
    return patch;
}

}  // namespace helioray
