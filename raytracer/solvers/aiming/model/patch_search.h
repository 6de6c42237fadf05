// SPDX-License-Identifier: MIT
// Searches the largest value of a biquadratic spline.
#pragma once

#include <array>

namespace helioray::aiming {

/// Piece of a biquadratic spline, given by its nine B-spline coefficients, [across][down].
using SplinePatch = std::array<std::array<double, 3>, 3>;

/// Searches the largest value of several patches. A patch lies within the convex hull of its Bezier
/// net. The net is refined until the bound is at most `tolerance` above a value of the spline.
struct PatchSearch {
    double tolerance;         ///< Allowed gap between bound and value, in the unit of the spline
    double value = -1e300;    ///< Largest value found so far
    double x = 0.0, y = 0.0;  ///< Position of this value
    double bound = -1e300;    ///< Upper bound on the patches searched so far

    /// Searches one patch, whose first corner is (left, top) and whose sides have length `size`.
    void search(const SplinePatch& patch, double left, double top, double size);
};

}  // namespace helioray::aiming
