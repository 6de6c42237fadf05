// SPDX-License-Identifier: MIT
// Three-vectors of any number type.
#pragma once

#include "kernels/core/scalar.h"

namespace helioray::kernels {

template <typename Real>
struct Vec {
    Real x, y, z;
};

template <typename Real = float>
HELIORAY_HD Vec<Real> to_vec(const float (&v)[3]) {
    return {Real(v[0]), Real(v[1]), Real(v[2])};
}

/// Returns the vector in every lane.
template <typename Real, typename Scalar>
HELIORAY_HD Vec<Real> broadcast(const Vec<Scalar>& v) {
    return {Real(v.x), Real(v.y), Real(v.z)};
}

template <typename Real>
HELIORAY_HD Vec<Real> operator-(const Vec<Real>& a, const Vec<Real>& b) {
    return {a.x - b.x, a.y - b.y, a.z - b.z};
}

template <typename Real>
HELIORAY_HD Real dot(const Vec<Real>& a, const Vec<Real>& b) {
    return fma_(a.x, b.x, fma_(a.y, b.y, a.z * b.z));
}

template <typename Real>
HELIORAY_HD Vec<Real> cross(const Vec<Real>& a, const Vec<Real>& b) {
    return {
        fma_(a.y, b.z, -(a.z * b.y)), fma_(a.z, b.x, -(a.x * b.z)), fma_(a.x, b.y, -(a.y * b.x))};
}

/// Returns a + s b.
template <typename Real>
HELIORAY_HD Vec<Real> add_scaled(const Vec<Real>& a, Real s, const Vec<Real>& b) {
    return {fma_(s, b.x, a.x), fma_(s, b.y, a.y), fma_(s, b.z, a.z)};
}

template <typename Real>
HELIORAY_HD Vec<Real> scaled(Real s, const Vec<Real>& a) {
    return {s * a.x, s * a.y, s * a.z};
}

template <typename Real>
HELIORAY_HD Vec<Real> normalized(const Vec<Real>& a) {
    return scaled(Real(1.0f) / sqrt_(dot(a, a)), a);
}

/// Returns a row-major 3 x 3 matrix times a vector. `lanes` converts the numbers of the matrix to
/// lanes.
template <typename Lanes, typename Real>
HELIORAY_HD Vec<Real> rotate_in_lanes(const Lanes& lanes, const float (&m)[9], const Vec<Real>& v) {
    return {fma_(lanes(m[0]), v.x, fma_(lanes(m[1]), v.y, lanes(m[2]) * v.z)),
            fma_(lanes(m[3]), v.x, fma_(lanes(m[4]), v.y, lanes(m[5]) * v.z)),
            fma_(lanes(m[6]), v.x, fma_(lanes(m[7]), v.y, lanes(m[8]) * v.z))};
}

/// Converts a number to lanes with the same value.
template <typename Real>
struct SameInLanes {
    HELIORAY_HD Real operator()(const float& x) const { return Real(x); }
};

/// Returns a row-major 3 x 3 matrix times a vector.
template <typename Real>
HELIORAY_HD Vec<Real> rotate(const float (&m)[9], const Vec<Real>& v) {
    return rotate_in_lanes(SameInLanes<Real>{}, m, v);
}

/// Returns a transposed row-major 3 x 3 matrix times a vector.
template <typename Real>
HELIORAY_HD Vec<Real> rotate_back(const float (&m)[9], const Vec<Real>& v) {
    return {fma_(Real(m[0]), v.x, fma_(Real(m[3]), v.y, Real(m[6]) * v.z)),
            fma_(Real(m[1]), v.x, fma_(Real(m[4]), v.y, Real(m[7]) * v.z)),
            fma_(Real(m[2]), v.x, fma_(Real(m[5]), v.y, Real(m[8]) * v.z))};
}

/// Returns the vectors of a where the mask is set, otherwise those of b.
template <typename Real, typename Mask>
HELIORAY_HD Vec<Real> select_vec(Mask mask, const Vec<Real>& a, const Vec<Real>& b) {
    return {select(mask, a.x, b.x), select(mask, a.y, b.y), select(mask, a.z, b.z)};
}

/// Returns the vectors where the mask is set, otherwise zero.
template <typename Real, typename Mask>
HELIORAY_HD Vec<Real> keep_vec(Mask mask, const Vec<Real>& v) {
    const Real zero(0.0f);
    return select_vec(mask, v, {zero, zero, zero});
}

/// Computes two unit vectors perpendicular to the unit vector n and to each other (Duff et al.,
/// "Building an orthonormal basis, revisited", JCGT 6 (2017)).
template <typename Real>
HELIORAY_HD void tangent_basis(const Vec<Real>& n, Vec<Real>& t1, Vec<Real>& t2) {
    const Real sign = select(n.z >= Real(0.0f), Real(1.0f), Real(-1.0f));
    const Real a = Real(-1.0f) / (sign + n.z);
    const Real b = n.x * n.y * a;
    t1 = {fma_(sign * n.x, n.x * a, Real(1.0f)), sign * b, -(sign * n.x)};
    t2 = {b, fma_(n.y * n.y, a, sign), -n.y};
}

}  // namespace helioray::kernels
