// SPDX-License-Identifier: MIT
// Largest value of a biquadratic spline.
#pragma once

#include <array>

namespace helioray::aiming {

/// One piece of a biquadratic spline by its nine B-spline coefficients, [across][down].
using SplinePatch = std::array<std::array<double, 3>, 3>;

/// Searches the largest value of several patches. A patch lies within the convex hull of its Bezier
/// net, which is refined until the bound is at most `tolerance` above a value that is taken.
struct PatchSearch {
    double tolerance;         ///< unit of the spline
    double value = -1e300;    ///< largest value that is known to be taken
    double x = 0.0, y = 0.0;  ///< place of this value
    double bound = -1e300;    ///< no value of the patches searched so far exceeds it

    /// Searches one patch, whose first corner is (left, top) and whose sides have length `size`.
    void search(const SplinePatch& patch, double left, double top, double size);
};

}  // namespace helioray::aiming
