// SPDX-License-Identifier: MIT
// Values and vectors of packs: one number per lane, without fma unless it is written.
#pragma once

#include "kernels/core/vec.h"

namespace helioray::kernels {

/// How many doubles a type holds.
template <typename Real>
inline constexpr int64_t kPackLanes = sizeof(Real) / 8;

HELIORAY_HD double load_aligned(const double* from, double) {
    return *from;
}
HELIORAY_HD void store_aligned(double* to, double a) {
    *to = a;
}

/// Three values that lie one after the other.
template <typename Real>
HELIORAY_HD Vec<Real> load_vec(const double* from) {
    return {load_aligned(from, Real()),
            load_aligned(from + kPackLanes<Real>, Real()),
            load_aligned(from + 2 * kPackLanes<Real>, Real())};
}
template <typename Real>
HELIORAY_HD void store_vec(double* to, const Vec<Real>& v) {
    store_aligned(to, v.x);
    store_aligned(to + kPackLanes<Real>, v.y);
    store_aligned(to + 2 * kPackLanes<Real>, v.z);
}

template <typename Real>
HELIORAY_HD Vec<Real> plain_add(const Vec<Real>& a, const Vec<Real>& b) {
    return {a.x + b.x, a.y + b.y, a.z + b.z};
}
template <typename Real>
HELIORAY_HD Vec<Real> plain_scaled(Real s, const Vec<Real>& a) {
    return {s * a.x, s * a.y, s * a.z};
}
/// a + s b
template <typename Real>
HELIORAY_HD Vec<Real> plain_add_scaled(const Vec<Real>& a, Real s, const Vec<Real>& b) {
    return {a.x + s * b.x, a.y + s * b.y, a.z + s * b.z};
}
template <typename Real>
HELIORAY_HD Real plain_dot(const Vec<Real>& a, const Vec<Real>& b) {
    return a.x * b.x + a.y * b.y + a.z * b.z;
}
template <typename Real>
HELIORAY_HD Vec<Real> plain_cross(const Vec<Real>& a, const Vec<Real>& b) {
    return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}
template <typename Real>
HELIORAY_HD Vec<Real> plain_normalized(const Vec<Real>& a) {
    const Real length = sqrt_(plain_dot(a, a));
    return {a.x / length, a.y / length, a.z / length};
}

}  // namespace helioray::kernels
