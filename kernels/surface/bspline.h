// SPDX-License-Identifier: MIT
// Points and tangents of non-rational B-spline surfaces with clamped uniform knots (Piegl & Tiller,
// The NURBS Book, A2.2-A3.6).
#pragma once

#include "kernels/core/assert.h"
#include "kernels/core/vec.h"

namespace helioray::kernels {

inline constexpr int kMaxDegree = 7;

/// Non-zero basis functions of one direction at t in [0, 1] and their derivatives with respect to
/// t.
template <typename Real>
struct BasisValues {
    typename LaneTraits<Real>::Int first;  ///< index of the control point of value[0]
    Real value[kMaxDegree + 1];
    Real derivative[kMaxDegree + 1];
};

/// Returns 1 / n for a distance n of knots, in spans; only rare degrees need a division.
template <int kDegree, typename Real>
HELIORAY_HD Real reciprocal(typename LaneTraits<Real>::Int n) {
    const Real small = select(n == make_int(1, Real()),
                              Real(1.0f),
                              select(n == make_int(2, Real()), Real(0.5f), Real(1.0 / 3.0)));
    if constexpr (kDegree > 0 && kDegree <= 3) {
        return small;
    } else {
        return n <= 3 ? small : Real(1.0f) / to_real(n, Real());
    }
}

/// Returns knot i, counted from the last of the repeated first ones, in units of spans.
template <typename Int>
HELIORAY_HD Int clamped_knot(Int i, Int zero, Int spans) {
    return min_(max_(i, zero), spans);
}

/// Computes the basis functions. kDegree > 0 fixes the degree at compile time; 0 uses the argument
/// (at most kMaxDegree, below n) and works for one lane only.
template <int kDegree, typename Real>
HELIORAY_HD void bspline_basis(Real t, int n, int degree_argument, BasisValues<Real>& basis) {
    using Int = typename LaneTraits<Real>::Int;
    const int p = kDegree > 0 ? kDegree : degree_argument;
    const Int spans = make_int(n - p, t);
    const Int zero = make_int(0, t);
    // In units of knot spans the knots are 0 (p + 1 times), 1, 2, ..., spans (p + 1 times).
    const Real x = t * to_real(spans, t);
    const Int span = clamped_knot(truncate_to_int(x), zero, make_int(n - p - 1, t));
    const auto knot = [&](int i) { return clamped_knot(span + make_int(i, t), zero, spans); };
    const auto left = [&](int j) { return x - to_real(knot(1 - j), t); };
    const auto right = [&](int j) { return to_real(knot(j), t) - x; };

    basis.first = span;
    basis.value[0] = Real(1.0f);
    Real weight[kMaxDegree + 1] = {};  // quotients of degree p - 1, for the derivatives
    for (int j = 1; j <= (kDegree > 0 ? kDegree : kMaxDegree); ++j) {
        if (kDegree == 0 && j > p) break;
        Real saved = Real(0.0f);
        for (int r = 0; r < j; ++r) {
            const Int width = knot(r + 1) - knot(1 - j + r);
            const Real quotient = basis.value[r] * reciprocal<kDegree, Real>(width);
            if (j == p) weight[r] = quotient;
            basis.value[r] = fma_(right(r + 1), quotient, saved);
            saved = left(j - r) * quotient;
        }
        basis.value[j] = saved;
    }
    // N'_i,p = p (N_i,p-1 / (t_i+p - t_i) - N_i+1,p-1 / (t_i+p+1 - t_i+1)), times spans for d/dt.
    const Real scale(static_cast<float>(p * (n - p)));
    for (int r = 0; r <= (kDegree > 0 ? kDegree : kMaxDegree); ++r) {
        if (kDegree == 0 && r > p) break;
        const Real before = r > 0 ? weight[r - 1] : Real(0.0f);
        const Real after = r < p ? weight[r] : Real(0.0f);
        basis.derivative[r] = scale * (before - after);
    }
}

/// A point of a surface, and the basis functions at its parameters.
template <typename Real>
struct SurfacePatch {
    BasisValues<Real> basis_u;
    BasisValues<Real> basis_v;
    Vec<Real> point;
    Vec<Real> tangent_u;  ///< d point / d u
    Vec<Real> tangent_v;
};

/// Evaluates a surface at (u, v) from control points [nu, nv, 3] that begin at `part` in the lanes;
/// kDegree as in bspline_basis(), for both directions.
template <int kDegree, typename Real, typename Stored>
HELIORAY_HD void bspline_patch(const Stored* control_points,
                               typename LaneTraits<Real>::Int part,
                               const int32_t (&n)[2],
                               const int32_t (&degrees)[2],
                               Real u,
                               Real v,
                               SurfacePatch<Real>& patch) {
    const int p = kDegree > 0 ? kDegree : degrees[0];
    const int q = kDegree > 0 ? kDegree : degrees[1];
    const Real zero = Real(0.0f);
    bspline_basis<kDegree>(u, n[0], p, patch.basis_u);
    bspline_basis<kDegree>(v, n[1], q, patch.basis_v);
    patch.point = patch.tangent_u = patch.tangent_v = {zero, zero, zero};
    const BasisValues<Real>& bu = patch.basis_u;
    const BasisValues<Real>& bv = patch.basis_v;
    HELIORAY_ASSERT(smallest(bu.first) >= 0 && largest(bu.first) + p < n[0] &&
                        smallest(bv.first) >= 0 && largest(bv.first) + q < n[1],
                    "the control points of a span are the surface's");
    const auto corner = part + (bu.first * make_int(n[1], u) + bv.first) * make_int(3, u);
    for (int i = 0; i <= p; ++i) {
        const Stored* row = control_points + 3 * static_cast<int64_t>(i) * n[1];
        Vec<Real> along{zero, zero, zero};
        Vec<Real> slope{zero, zero, zero};
        for (int j = 0; j <= q; ++j) {
            const Stored* c = row + 3 * j;
            const Vec<Real> control{
                gather(c, corner, u), gather(c + 1, corner, u), gather(c + 2, corner, u)};
            along = add_scaled(along, bv.value[j], control);
            slope = add_scaled(slope, bv.derivative[j], control);
        }
        patch.point = add_scaled(patch.point, bu.value[i], along);
        patch.tangent_u = add_scaled(patch.tangent_u, bu.derivative[i], along);
        patch.tangent_v = add_scaled(patch.tangent_v, bu.value[i], slope);
    }
}

/// Adjoint of bspline_patch(): adds the derivatives with respect to the control points, which begin
/// at the offset `control_points`, from those of the point and of the tangents along u and v. Sink
/// offers add_float(offset, float).
template <int kDegree, typename Sink>
HELIORAY_HD void bspline_adjoint(int64_t control_points,
                                 const int32_t (&n)[2],
                                 const int32_t (&degrees)[2],
                                 const SurfacePatch<float>& patch,
                                 const Vec<float>& point,
                                 const Vec<float>& tangent_u,
                                 const Vec<float>& tangent_v,
                                 Sink& sink) {
    const int p = kDegree > 0 ? kDegree : degrees[0];
    const int q = kDegree > 0 ? kDegree : degrees[1];
    const BasisValues<float>& bu = patch.basis_u;
    const BasisValues<float>& bv = patch.basis_v;
    for (int i = 0; i <= p; ++i) {
        const int64_t row =
            control_points + 3 * (static_cast<int64_t>(bu.first + i) * n[1] + bv.first);
        const Vec<float> along =
            add_scaled(scaled(bu.value[i], point), bu.derivative[i], tangent_u);
        const Vec<float> across = scaled(bu.value[i], tangent_v);
        for (int j = 0; j <= q; ++j) {
            const Vec<float> sum = add_scaled(scaled(bv.value[j], along), bv.derivative[j], across);
            const int64_t entry = row + 3 * static_cast<int64_t>(j);
            sink.add_float(entry, sum.x);
            sink.add_float(entry + 1, sum.y);
            sink.add_float(entry + 2, sum.z);
        }
    }
}

/// Evaluates a surface with the common cubic case fixed at compile time, which several lanes need.
template <typename Real, typename Stored>
HELIORAY_HD void evaluate_bspline(const Stored* control_points,
                                  typename LaneTraits<Real>::Int part,
                                  const int32_t (&n)[2],
                                  const int32_t (&degrees)[2],
                                  Real u,
                                  Real v,
                                  SurfacePatch<Real>& patch) {
    if constexpr (LaneTraits<Real>::kWidth == 1) {
        if (degrees[0] != 3 || degrees[1] != 3) {
            bspline_patch<0>(control_points, part, n, degrees, u, v, patch);
            return;
        }
    }
    bspline_patch<3>(control_points, part, n, degrees, u, v, patch);
}

}  // namespace helioray::kernels
