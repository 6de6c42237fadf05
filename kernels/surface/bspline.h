// SPDX-License-Identifier: MIT
// Points and tangents of non-rational B-spline surfaces with clamped uniform knots (Piegl & Tiller,
// The NURBS Book, A2.2-A3.6).
#pragma once

#include "kernels/core/vec.h"

namespace helioray::kernels {

inline constexpr int kMaxDegree = 7;

/// Non-zero basis functions of one direction at t in [0, 1] and their derivatives with respect to
/// t.
template <typename Real>
struct BasisValues {
    int first;  ///< index of the control point that value[0] belongs to
    Real value[kMaxDegree + 1];
    Real derivative[kMaxDegree + 1];
};

/// 1 / n of the widths that knots have between them, in spans; a division only for rare degrees.
template <typename Real>
HELIORAY_HD Real reciprocal(int n) {
    if (n <= 3) return n == 1 ? Real(1.0) : (n == 2 ? Real(0.5) : Real(1.0 / 3.0));
    return Real(1.0f) / to_real(n, Real());
}

/// Knot i counted from the last of the repeated first ones, in units of spans.
HELIORAY_HD int clamped_knot(int i, int spans) {
    return i < 0 ? 0 : (i > spans ? spans : i);
}

/// kDegree > 0 fixes the degree at compile time; 0 takes it from the argument (at most kMaxDegree,
/// below n).
template <int kDegree, typename Real>
HELIORAY_HD BasisValues<Real> bspline_basis(Real t, int n, int degree_argument) {
    const int p = kDegree > 0 ? kDegree : degree_argument;
    const int spans = n - p;
    // In units of knot spans the knots are 0 (p + 1 times), 1, 2, ..., spans (p + 1 times).
    const Real x = t * to_real(spans, t);
    int span = truncate_to_int(x);
    span = span < 0 ? 0 : (span > spans - 1 ? spans - 1 : span);

    BasisValues<Real> basis;
    basis.first = span;
    basis.value[0] = Real(1.0f);
    Real left[kMaxDegree + 1] = {};
    Real right[kMaxDegree + 1] = {};
    Real weight[kMaxDegree + 1] = {};  // quotients of degree p - 1, for the derivatives
    for (int j = 1; j <= (kDegree > 0 ? kDegree : kMaxDegree); ++j) {
        if (kDegree == 0 && j > p) break;
        left[j] = x - to_real(clamped_knot(span + 1 - j, spans), t);
        right[j] = to_real(clamped_knot(span + j, spans), t) - x;
        Real saved = Real(0.0f);
        for (int r = 0; r < j; ++r) {
            const int width =
                clamped_knot(span + r + 1, spans) - clamped_knot(span + 1 - j + r, spans);
            const Real quotient = basis.value[r] * reciprocal<Real>(width);
            if (j == p) weight[r] = quotient;
            basis.value[r] = fma_(right[r + 1], quotient, saved);
            saved = left[j - r] * quotient;
        }
        basis.value[j] = saved;
    }
    // N'_i,p = p (N_i,p-1 / (t_i+p - t_i) - N_i+1,p-1 / (t_i+p+1 - t_i+1)), times spans for d/dt.
    const Real scale = to_real(p * spans, t);
    for (int r = 0; r <= (kDegree > 0 ? kDegree : kMaxDegree); ++r) {
        if (kDegree == 0 && r > p) break;
        const Real before = r > 0 ? weight[r - 1] : Real(0.0f);
        const Real after = r < p ? weight[r] : Real(0.0f);
        basis.derivative[r] = scale * (before - after);
    }
    return basis;
}

/// A point of a surface, and the basis functions that made it.
template <typename Real>
struct SurfacePatch {
    BasisValues<Real> basis_u;
    BasisValues<Real> basis_v;
    Vec<Real> point;
    Vec<Real> tangent_u;  ///< d point / d u
    Vec<Real> tangent_v;
};

/// Surface at (u, v) from control points [nu, nv, 3]; kDegree as above, for both directions.
template <int kDegree, typename Real, typename Stored>
HELIORAY_HD SurfacePatch<Real> bspline_patch(const Stored* control_points,
                                             const int32_t (&n)[2],
                                             const int32_t (&degrees)[2],
                                             Real u,
                                             Real v) {
    const int p = kDegree > 0 ? kDegree : degrees[0];
    const int q = kDegree > 0 ? kDegree : degrees[1];
    const Real zero = Real(0.0f);
    SurfacePatch<Real> patch;
    patch.basis_u = bspline_basis<kDegree>(u, n[0], p);
    patch.basis_v = bspline_basis<kDegree>(v, n[1], q);
    patch.point = patch.tangent_u = patch.tangent_v = {zero, zero, zero};
    const BasisValues<Real>& bu = patch.basis_u;
    const BasisValues<Real>& bv = patch.basis_v;
    for (int i = 0; i <= p; ++i) {
        const Stored* row =
            control_points + 3 * (static_cast<int64_t>(bu.first + i) * n[1] + bv.first);
        Vec<Real> along{zero, zero, zero};
        Vec<Real> slope{zero, zero, zero};
        for (int j = 0; j <= q; ++j) {
            const Vec<Real> c{Real(row[3 * j]), Real(row[3 * j + 1]), Real(row[3 * j + 2])};
            along = add_scaled(along, bv.value[j], c);
            slope = add_scaled(slope, bv.derivative[j], c);
        }
        patch.point = add_scaled(patch.point, bu.value[i], along);
        patch.tangent_u = add_scaled(patch.tangent_u, bu.derivative[i], along);
        patch.tangent_v = add_scaled(patch.tangent_v, bu.value[i], slope);
    }
    return patch;
}

/// The same with the common cubic case fixed at compile time.
template <typename Real, typename Stored>
HELIORAY_HD SurfacePatch<Real> evaluate_bspline(const Stored* control_points,
                                                const int32_t (&n)[2],
                                                const int32_t (&degrees)[2],
                                                Real u,
                                                Real v) {
    if (degrees[0] == 3 && degrees[1] == 3)
        return bspline_patch<3>(control_points, n, degrees, u, v);
    return bspline_patch<0>(control_points, n, degrees, u, v);
}

}  // namespace helioray::kernels
