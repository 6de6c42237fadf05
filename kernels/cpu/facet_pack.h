// SPDX-License-Identifier: MIT
// Areas and grids of B-spline facets, one facet per lane.
//
// Every lane does what a facet alone would, in the same order: sums over nodes are long chains of
// additions, which facets beside each other hide. Entry functions are static: each translation unit
// has its own.
#pragma once

#include "kernels/cpu/facet_pack_functions.h"
#include "kernels/cpu/pack_vectors.h"

namespace helioray::kernels {

/// Control points of all lanes side by side.
template <typename Real>
HELIORAY_HD void gather_control_points(const double* const* control_points,
                                       int64_t count,
                                       double* packed) {
    constexpr int64_t kLanes = kPackLanes<Real>;
    for (int64_t lane = 0; lane < kLanes; ++lane) {
        const double* from = control_points[lane];
        for (int64_t i = 0; i < count; ++i) packed[i * kLanes + lane] = from[i];
    }
}

/// Control points summed over the first index with the derivatives and the values of a node:
/// columns [num_v, 6].
template <int kDegree, typename Real>
HELIORAY_HD void sum_rows(const double* packed,
                          int num_v,
                          int degree,
                          const BasisValues<double>& basis,
                          double* columns) {
    constexpr int64_t kLanes = kPackLanes<Real>;
    const int p = kDegree > 0 ? kDegree : degree;
    const int64_t row = static_cast<int64_t>(num_v) * 3 * kLanes;
    for (int64_t j = 0; j < num_v; ++j) {
        const double* from = packed + basis.first * row + j * 3 * kLanes;
        const Vec<Real> first = load_vec<Real>(from);
        Vec<Real> derivative = plain_scaled(Real(basis.derivative[0]), first);
        Vec<Real> value = plain_scaled(Real(basis.value[0]), first);
        for (int64_t i = 1; i <= p; ++i) {
            const Vec<Real> point = load_vec<Real>(from + i * row);
            derivative = plain_add_scaled(derivative, Real(basis.derivative[i]), point);
            value = plain_add_scaled(value, Real(basis.value[i]), point);
        }
        double* to = columns + j * 6 * kLanes;
        store_vec(to, derivative);
        store_vec(to + 3 * kLanes, value);
    }
}

/// Area per unit of u and v at a node of v, from the columns of a node of u.
template <int kDegree, typename Real>
HELIORAY_HD Real area_density(const double* columns, int degree, const BasisValues<double>& basis) {
    constexpr int64_t kLanes = kPackLanes<Real>;
    const int q = kDegree > 0 ? kDegree : degree;
    const double* from = columns + basis.first * (6 * kLanes);
    Vec<Real> tangent_u = plain_scaled(Real(basis.value[0]), load_vec<Real>(from));
    Vec<Real> tangent_v =
        plain_scaled(Real(basis.derivative[0]), load_vec<Real>(from + 3 * kLanes));
    for (int64_t k = 1; k <= q; ++k) {
        from += 6 * kLanes;
        tangent_u = plain_add_scaled(tangent_u, Real(basis.value[k]), load_vec<Real>(from));
        tangent_v = plain_add_scaled(
            tangent_v, Real(basis.derivative[k]), load_vec<Real>(from + 3 * kLanes));
    }
    const Vec<Real> normal = plain_cross(tangent_u, tangent_v);
    return sqrt_(plain_dot(normal, normal));
}

/// FacetPackFunctions::integrate for degrees known at compile time, or for any (kDegree 0).
template <int kDegree, typename Real>
HELIORAY_HD void integrate_degree(const SplineAxis& u,
                                  const SplineAxis& v,
                                  const double* packed,
                                  double* columns,
                                  double* area,
                                  double* cumulative_u,
                                  double* cumulative_v) {
    constexpr int64_t kLanes = kPackLanes<Real>;
    for (int64_t j = 0; j < v.num_nodes; ++j) store_aligned(cumulative_v + j * kLanes, Real(0.0));
    Real total(0.0);
    Real up_to_node(0.0);
    for (int64_t i = 0; i < u.num_nodes; ++i) {
        // One direction after the other: a quarter of the work of both at once.
        sum_rows<kDegree, Real>(packed, v.num_control_points, u.degree, u.at_nodes[i], columns);
        Real at_node(0.0);
        for (int64_t j = 0; j < v.num_nodes; ++j) {
            const Real element = Real(u.weights[i] * v.weights[j]) *
                                 area_density<kDegree, Real>(columns, v.degree, v.at_nodes[j]);
            double* by_v = cumulative_v + j * kLanes;
            store_aligned(by_v, load_aligned(by_v, Real()) + element);
            at_node = at_node + element;
            total = total + element;
        }
        up_to_node = up_to_node + at_node;
        store_aligned(cumulative_u + i * kLanes, up_to_node);
    }
    store_aligned(area, total);
    up_to_node = Real(0.0);
    for (int64_t j = 0; j < v.num_nodes; ++j) {
        up_to_node = up_to_node + load_aligned(cumulative_v + j * kLanes, Real());
        store_aligned(cumulative_v + j * kLanes, up_to_node);
    }
}

template <typename Real>
static void integrate_pack(const SplineAxis& u,
                           const SplineAxis& v,
                           const double* const* control_points,
                           double* workspace,
                           double* area,
                           double* cumulative_u,
                           double* cumulative_v) {
    const int64_t count = int64_t{3} * u.num_control_points * v.num_control_points;
    gather_control_points<Real>(control_points, count, workspace);
    double* columns = workspace + count * kPackLanes<Real>;
    if (u.degree == 3 && v.degree == 3) {
        integrate_degree<3, Real>(u, v, workspace, columns, area, cumulative_u, cumulative_v);
    } else {
        integrate_degree<0, Real>(u, v, workspace, columns, area, cumulative_u, cumulative_v);
    }
}

/// Control points summed over the second index with the values and the derivatives of a parameter
/// v, as evaluate_bspline does: rows [num_u, 6].
template <typename Real>
HELIORAY_HD void sum_columns(const double* packed,
                             const SplineAxis& u,
                             const SplineAxis& v,
                             const BasisValues<double>& basis,
                             double* rows) {
    constexpr int64_t kLanes = kPackLanes<Real>;
    for (int64_t i = 0; i < u.num_control_points; ++i) {
        const int64_t first = static_cast<int64_t>(i) * v.num_control_points + basis.first;
        const double* from = packed + first * 3 * kLanes;
        Vec<Real> along{Real(0.0), Real(0.0), Real(0.0)};
        Vec<Real> slope = along;
        for (int64_t k = 0; k <= v.degree; ++k) {
            const Vec<Real> control = load_vec<Real>(from + k * 3 * kLanes);
            along = add_scaled(along, Real(basis.value[k]), control);
            slope = add_scaled(slope, Real(basis.derivative[k]), control);
        }
        store_vec(rows + i * 6 * kLanes, along);
        store_vec(rows + (i * 6 + 3) * kLanes, slope);
    }
}

/// A value of all lanes to each lane's own place.
template <typename Real>
HELIORAY_HD void scatter(const Vec<Real>& v, double* (&to)[3 * kPackLanes<Real>], int64_t sample) {
    constexpr int64_t kLanes = kPackLanes<Real>;
    alignas(sizeof(Real)) double values[3 * kLanes];
    store_vec(values, v);
    for (int64_t i = 0; i < 3 * kLanes; ++i) to[i][sample] = values[i];
}

template <typename Real>
static void sample_pack(const SplineAxis& u,
                        const SplineAxis& v,
                        const double* const* control_points,
                        double* workspace,
                        FacetGrid* const* grids) {
    constexpr int64_t kLanes = kPackLanes<Real>;
    const int64_t count = int64_t{3} * u.num_control_points * v.num_control_points;
    gather_control_points<Real>(control_points, count, workspace);
    double* rows = workspace + count * kLanes;
    double* points[3 * kLanes];
    double* normals[3 * kLanes];
    for (int64_t i = 0; i < 3 * kLanes; ++i) {
        points[i] = grids[i % kLanes]->point[i / kLanes];
        normals[i] = grids[i % kLanes]->normal[i / kLanes];
    }
    for (int64_t j = 0; j < kGridSize; ++j) {
        sum_columns<Real>(workspace, u, v, v.on_grid[j], rows);
        for (int64_t i = 0; i < kGridSize; ++i) {
            const BasisValues<double>& basis = u.on_grid[i];
            const double* from = rows + basis.first * (6 * kLanes);
            Vec<Real> point{Real(0.0), Real(0.0), Real(0.0)};
            Vec<Real> tangent_u = point;
            Vec<Real> tangent_v = point;
            for (int64_t k = 0; k <= u.degree; ++k) {
                const Vec<Real> along = load_vec<Real>(from + k * 6 * kLanes);
                const Vec<Real> slope = load_vec<Real>(from + (k * 6 + 3) * kLanes);
                point = add_scaled(point, Real(basis.value[k]), along);
                tangent_u = add_scaled(tangent_u, Real(basis.derivative[k]), along);
                tangent_v = add_scaled(tangent_v, Real(basis.value[k]), slope);
            }
            scatter(point, points, i * kGridSize + j);
            scatter(
                plain_normalized(plain_cross(tangent_u, tangent_v)), normals, i * kGridSize + j);
        }
    }
}

}  // namespace helioray::kernels
