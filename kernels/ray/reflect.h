// SPDX-License-Identifier: MIT
// Directions: a sample of the sun, and its reflection at a mirror with slope error.
#pragma once

#include "kernels/core/vec.h"

namespace helioray::kernels {

/// cos(theta) and sin(theta) / theta as polynomials of q = theta^2; errors below 3e-7 up to 1
/// radian.
template <typename Real>
HELIORAY_HD void cosine_and_sinc(Real q, Real& cosine, Real& sinc) {
    cosine = fma_(q, Real(1.0f / 40320.0f), Real(-1.0f / 720.0f));
    cosine = fma_(q, cosine, Real(1.0f / 24.0f));
    cosine = fma_(q, cosine, Real(-0.5f));
    cosine = fma_(q, cosine, Real(1.0f));
    sinc = fma_(q, Real(1.0f / 362880.0f), Real(-1.0f / 5040.0f));
    sinc = fma_(q, sinc, Real(1.0f / 120.0f));
    sinc = fma_(q, sinc, Real(-1.0f / 6.0f));
    sinc = fma_(q, sinc, Real(1.0f));
}

/// Unit direction at the angle theta = |(a, b)| (radians) from the unit vector axis, towards
/// a t1 + b t2.
template <typename Real>
HELIORAY_HD Vec<Real> offset_direction(
    const Vec<Real>& axis, const Vec<Real>& t1, const Vec<Real>& t2, Real a, Real b) {
    Real cosine, sinc;
    cosine_and_sinc(fma_(a, a, b * b), cosine, sinc);
    return add_scaled(add_scaled(scaled(cosine, axis), sinc * a, t1), sinc * b, t2);
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
