// SPDX-License-Identifier: MIT
// Areas, grids and patches of facets, one facet per lane. Compiled once per instruction set.
//
// Every lane computes its facet as if it were alone, in the same order. Sums over nodes are long
// chains of additions, whose latency is hidden by the facets of the other lanes. Entry functions
// are static, so that each translation unit has its own.
#include "kernels/cpu/set_functions.h"
#include "kernels/cpu/set_lanes.h"
#include "kernels/surface/bspline.h"

namespace helioray::kernels {

// Values and vectors of packs have one number per lane; fma is used only where it is explicit.

/// Number of doubles in a type.
template <typename Real>
inline constexpr int64_t kPackLanes = sizeof(Real) / 8;

HELIORAY_HD double load_aligned(const double* from, double) {
    return *from;
}
HELIORAY_HD void store_aligned(double* to, double a) {
    *to = a;
}

/// Loads three consecutive values.
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
/// Returns a + s b.
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

// The following functions compute areas and grids.

/// Copies the control points of all lanes side by side.
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

/// Sums the control points over the first index with the derivatives and the values of a node:
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

/// Returns the area per unit of u and v at a node of v, from the columns of a node of u.
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

/// Implements FacetPackFunctions::integrate for degrees known at compile time, or for any degrees
/// (kDegree 0).
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
        // Summing one direction after the other needs a quarter of the operations.
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

/// Sums the control points over the second index with the values and the derivatives of a parameter
/// v, as in evaluate_bspline: rows [num_u, 6].
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

/// Stores a value of all lanes, each at its lane's destination.
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

// The following functions fit bent parallelograms to grids.

/// Minimises the sum over rows of (coefficients . terms - value)^2, separately in every lane.
///
/// This uses the normal equations and Cholesky's method, which suffices for well-scaled terms. In a
/// threaded LAPACK, thousands of such small systems would dominate the preparation of a field. The
/// Cholesky of raytracer/linear is not used: Real may be a vector of lanes, and the other order of
/// its back substitution would change the last bits of all surfaces.
template <int kTerms, typename Real>
class LeastSquares {
  public:
    HELIORAY_HD LeastSquares() {
        for (int i = 0; i < kTerms; ++i) {
            for (int j = 0; j <= i; ++j) normal_[i][j] = Real(0.0);
            right_[i] = Real(0.0);
        }
    }

    HELIORAY_HD void add_row(const Real (&terms)[kTerms], Real value) {
        for (int i = 0; i < kTerms; ++i) {
            for (int j = 0; j <= i; ++j) normal_[i][j] = normal_[i][j] + terms[i] * terms[j];
            right_[i] = right_[i] + terms[i] * value;
        }
    }

    /// Computes the coefficients, which are not finite if the rows do not determine them.
    /// Overwrites the sums.
    HELIORAY_HD void solve(Real (&x)[kTerms]) {
        for (int i = 0; i < kTerms; ++i) x[i] = right_[i];
        for (int i = 0; i < kTerms; ++i) {
            for (int j = 0; j <= i; ++j) {
                for (int k = 0; k < j; ++k)
                    normal_[i][j] = normal_[i][j] - normal_[i][k] * normal_[j][k];
                normal_[i][j] = i == j ? sqrt_(normal_[i][i]) : normal_[i][j] / normal_[j][j];
            }
            for (int k = 0; k < i; ++k) x[i] = x[i] - normal_[i][k] * x[k];
            x[i] = x[i] / normal_[i][i];
        }
        for (int i = kTerms; i-- > 0;) {
            for (int k = i + 1; k < kTerms; ++k) x[i] = x[i] - normal_[k][i] * x[k];
            x[i] = x[i] / normal_[i][i];
        }
    }

  private:
    Real normal_[kTerms][kTerms];  ///< lower triangle
    Real right_[kTerms];
};

/// A patch for every lane.
template <typename Real>
struct PatchPack {
    Vec<Real> center;
    Vec<Real> half_x;
    Vec<Real> half_y;
    Real bending[3];
};

/// Returns the mean of kGridSize samples, `step` apart.
template <typename Real>
HELIORAY_HD Vec<Real> mean_point(const double* points, int first, int step) {
    constexpr int64_t kSize = 3 * kPackLanes<Real>;
    Vec<Real> sum{Real(0.0), Real(0.0), Real(0.0)};
    for (int64_t i = 0; i < kGridSize; ++i)
        sum = plain_add(sum, load_vec<Real>(points + (first + i * step) * kSize));
    return plain_scaled(Real(1.0 / kGridSize), sum);
}

/// Returns the parallelogram through the middles of the four edges.
template <typename Real>
HELIORAY_HD PatchPack<Real> edge_parallelogram(const double* points) {
    constexpr int kLast = kGridSize - 1;
    const Vec<Real> left = mean_point<Real>(points, 0, 1);
    const Vec<Real> right = mean_point<Real>(points, kLast * kGridSize, 1);
    const Vec<Real> low = mean_point<Real>(points, 0, kGridSize);
    const Vec<Real> high = mean_point<Real>(points, kLast, kGridSize);
    PatchPack<Real> patch;
    patch.center =
        plain_scaled(Real(0.25), plain_add(plain_add(plain_add(left, right), low), high));
    patch.half_x = plain_scaled(Real(0.5), right - left);
    patch.half_y = plain_scaled(Real(0.5), high - low);
    return patch;
}

/// Fits the height above the parallelogram as c + cx x + cy y + b0 x^2 + b1 x y + b2 y^2, then
/// tilts and moves the parallelogram by its linear part.
template <typename Real>
HELIORAY_HD void fit_height(const double* points, PatchPack<Real>& patch) {
    constexpr int64_t kSize = 3 * kPackLanes<Real>;
    const Vec<Real> normal = plain_normalized(plain_cross(patch.half_x, patch.half_y));
    // Coordinates use the dual basis, because the parallelogram need not be a rectangle.
    const Vec<Real> across_y = plain_cross(patch.half_y, normal);
    const Vec<Real> across_x = plain_cross(normal, patch.half_x);
    const Real length_x = plain_dot(across_y, patch.half_x);
    const Real length_y = plain_dot(across_x, patch.half_y);
    LeastSquares<6, Real> fit;
    for (int64_t i = 0; i < kGridSamples; ++i) {
        const Vec<Real> p = load_vec<Real>(points + i * kSize) - patch.center;
        const Real x = plain_dot(across_y, p) / length_x;
        const Real y = plain_dot(across_x, p) / length_y;
        fit.add_row({Real(1.0), x, y, x * x, x * y, y * y}, plain_dot(normal, p));
    }
    Real height[6];
    fit.solve(height);
    for (int64_t i = 0; i < 3; ++i) patch.bending[i] = height[3 + i];
    patch.center = plain_add_scaled(patch.center, height[0], normal);
    patch.half_x = plain_add_scaled(patch.half_x, height[1], normal);
    patch.half_y = plain_add_scaled(patch.half_y, height[2], normal);
}

/// Returns the radius of a sphere about the patch's centre that contains the samples.
template <typename Real>
HELIORAY_HD Real radius_about(const double* points, const Vec<Real>& center) {
    constexpr int64_t kSize = 3 * kPackLanes<Real>;
    Real square(0.0);
    for (int64_t i = 0; i < kGridSamples; ++i) {
        const Vec<Real> p = load_vec<Real>(points + i * kSize) - center;
        square = max_(plain_dot(p, p), square);
    }
    // The margin allows for the surface between the samples and for rounding in single precision.
    return Real(1.02) * sqrt_(square) + Real(0.02);
}

/// Copies the points of all lanes side by side: [kGridSamples, 3].
template <typename Real>
HELIORAY_HD void gather_points(const FacetGrid* const* grids, double* points) {
    constexpr int64_t kLanes = kPackLanes<Real>;
    for (int64_t lane = 0; lane < kLanes; ++lane) {
        for (int axis = 0; axis < 3; ++axis) {
            const double* from = grids[lane]->point[axis];
            for (int64_t i = 0; i < kGridSamples; ++i)
                points[(i * 3 + axis) * kLanes + lane] = from[i];
        }
    }
}

template <typename Real>
static void fit_pack(const FacetGrid* const* grids, double* workspace, BentPatch* const* patches) {
    constexpr int64_t kLanes = kPackLanes<Real>;
    gather_points<Real>(grids, workspace);
    PatchPack<Real> patch = edge_parallelogram<Real>(workspace);
    // The first pass moves and tilts the parallelogram by the fitted plane; the second fits the
    // bending about it.
    for (int pass = 0; pass < 2; ++pass) fit_height(workspace, patch);

    alignas(sizeof(Real)) double values[13 * kLanes];
    store_vec(values, patch.center);
    store_vec(values + 3 * kLanes, patch.half_x);
    store_vec(values + 6 * kLanes, patch.half_y);
    for (int64_t i = 0; i < 3; ++i) store_aligned(values + (9 + i) * kLanes, patch.bending[i]);
    store_aligned(values + 12 * kLanes, radius_about(workspace, patch.center));
    for (int64_t lane = 0; lane < kLanes; ++lane) {
        BentPatch& to = *patches[lane];
        for (int64_t i = 0; i < 3; ++i) {
            to.center[i] = values[i * kLanes + lane];
            to.half_x[i] = values[(3 + i) * kLanes + lane];
            to.half_y[i] = values[(6 + i) * kLanes + lane];
            to.bending[i] = values[(9 + i) * kLanes + lane];
        }
        to.radius = values[12 * kLanes + lane];
    }
}

namespace HELIORAY_SET {

FacetPackFunctions facet_pack() {
    return {kPackLanes<Doubles>, integrate_pack<Doubles>, sample_pack<Doubles>, fit_pack<Doubles>};
}

}  // namespace HELIORAY_SET

}  // namespace helioray::kernels
