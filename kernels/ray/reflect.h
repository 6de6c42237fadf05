// SPDX-License-Identifier: MIT
// Directions: a sample about an axis, and reflection at a mirror with slope error, each followed by
// its adjoint.
#pragma once

#include "kernels/core/elementary.h"
#include "kernels/core/vec.h"

namespace helioray::kernels {

/// Offsets of a sampled direction from an axis on the tangent plane, radians.
template <typename Real>
struct Offset {
    Real a, b;
};

/// Returns the unit direction at the angle theta = |(a, b)| (radians) from the unit vector axis,
/// towards a t1 + b t2.
template <typename Real>
HELIORAY_HD Vec<Real> offset_direction(
    const Vec<Real>& axis, const Vec<Real>& t1, const Vec<Real>& t2, Real a, Real b) {
    Real cosine, sinc;
    cosine_and_sinc(fma_(a, a, b * b), cosine, sinc);
    return add_scaled(add_scaled(scaled(cosine, axis), sinc * a, t1), sinc * b, t2);
}

/// Adjoint of offset_direction(): from a unit direction to its axis and to the width to which the
/// offset is proportional.
template <typename Real>
HELIORAY_HD void offset_adjoint(const Vec<Real>& direction,
                                const Vec<Real>& axis,
                                const Offset<Real>& offset,
                                const Vec<Real>& from_direction,
                                float width,
                                Vec<Real>& to_axis,
                                Real& to_width) {
    // The direction is cos(theta) axis + sin(theta) / theta (a t1 + b t2).
    Real cosine, sinc;
    cosine_and_sinc(fma_(offset.a, offset.a, offset.b * offset.b), cosine, sinc);
    const Real along = dot(from_direction, axis);
    // Component perpendicular to the axis, in units of theta: e = a t1 + b t2.
    const Vec<Real> e = scaled(Real(1.0f) / sinc, add_scaled(direction, -cosine, axis));
    // The axis turns, and e with it: d e = -(e . d axis) axis.
    to_axis = add_scaled(scaled(cosine, from_direction), -(sinc * along), e);
    // The derivative is d direction / d width = theta / width (cos(theta) e / theta - sin(theta)
    // axis).
    const Real q = fma_(offset.a, offset.a, offset.b * offset.b);
    to_width = width > 0.0f
                   ? (cosine * dot(from_direction, e) - sinc * q * along) * Real(1.0f / width)
                   : Real(0.0f);
}

/// Returns the direction of light from the unit direction s (to the sun) after reflection at a
/// mirror whose normal n is tilted by the slopes a, b about its tangents; n, t1, t2 are
/// orthonormal. `facing` is the cosine between tilted normal and s, up to the normal's length. The
/// tilted normal n' = n + a t1 + b t2 need not be normalised: r = 2 (n'.s) n' / n'.n' - s.
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

/// Adjoint of reflect_at_slope(): from the reflected direction to s and n, whose tangents move with
/// it, and to the width to which the slopes are proportional (0: none).
///
/// r = k m - s at m = n + a t1 + b t2, k = 2 (m . s) / D, D = 1 + a^2 + b^2.
template <typename Real>
HELIORAY_HD void reflect_adjoint(const Vec<Real>& s,
                                 const Vec<Real>& n,
                                 const Vec<Real>& t1,
                                 const Vec<Real>& t2,
                                 const Offset<Real>& slopes,
                                 const Vec<Real>& to_reflected,
                                 float width,
                                 Vec<Real>& to_sun,
                                 Vec<Real>& to_normal,
                                 Real& to_width) {
    const Real a = slopes.a;
    const Real b = slopes.b;
    const Vec<Real> slope = add_scaled(scaled(a, t1), b, t2);
    const Vec<Real> m = add_scaled(n, Real(1.0f), slope);
    const Real inverse_d = Real(1.0f) / fma_(a, a, fma_(b, b, Real(1.0f)));
    const Real facing = dot(m, s);
    const Real k = (facing + facing) * inverse_d;
    const Real to_k = dot(to_reflected, m);
    const Real to_facing = (to_k + to_k) * inverse_d;
    const Vec<Real> to_m = add_scaled(scaled(k, to_reflected), to_facing, s);
    to_sun = add_scaled(scaled(to_facing, m), Real(-1.0f), to_reflected);
    // The tangents turn with the normal: d slope = -(slope . dn) n.
    to_normal = add_scaled(to_m, -dot(to_m, n), slope);
    const Real to_squares = -(to_k * k * inverse_d);
    to_width = width > 0.0f ? (dot(to_m, slope) + (to_squares + to_squares) * fma_(a, a, b * b)) /
                                  Real(width)
                            : Real(0.0f);
}

}  // namespace helioray::kernels
