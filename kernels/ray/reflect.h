// SPDX-License-Identifier: MIT
// Directions: a sample of the sun, and its reflection at a mirror with slope error.
#pragma once

#include "kernels/core/vec.h"

namespace helioray::kernels {

/// Unit direction at the polar offset (a, b), radians on the tangent plane of the unit vector axis.
/// The angle theta =
/// |(a, b)| is kept to fifth order: tan(theta) = theta (1 + theta^2 / 3).
template <typename Real>
HELIORAY_HD Vec<Real> offset_direction(
    const Vec<Real>& axis, const Vec<Real>& t1, const Vec<Real>& t2, Real a, Real b) {
    const Real square = fma_(a, a, b * b);
    const Real stretch = fma_(square, Real(1.0f / 3.0f), Real(1.0f));
    const Real x = a * stretch;
    const Real y = b * stretch;
    const Real inverse_length = Real(1.0f) / sqrt_(fma_(x, x, fma_(y, y, Real(1.0f))));
    return scaled(inverse_length, add_scaled(add_scaled(axis, x, t1), y, t2));
}

/// Direction into which light from the unit direction s (to the sun) leaves a mirror whose normal n
/// is tilted by the slopes a, b about its tangents; n, t1, t2 orthonormal. `facing` is the cosine
/// between tilted normal and s, up to its length. The tilted normal n' = n + a t1 + b t2 need not
/// be normalised: r = 2 (n'.s) n' / n'.n' - s.
template <typename Real>
HELIORAY_HD Vec<Real> reflect_at_slope(const Vec<Real>& s,
                                       const Vec<Real>& n,
                                       const Vec<Real>& t1,
                                       const Vec<Real>& t2,
                                       Real a,
                                       Real b,
                                       Real& facing) {
    const Vec<Real> tilted = add_scaled(add_scaled(n, a, t1), b, t2);
    facing = dot(tilted, s);
    const Real square = fma_(a, a, fma_(b, b, Real(1.0f)));
    const Real factor = (facing + facing) / square;
    return {
        fma_(factor, tilted.x, -s.x), fma_(factor, tilted.y, -s.y), fma_(factor, tilted.z, -s.z)};
}

}  // namespace helioray::kernels
