// SPDX-License-Identifier: MIT
// Bent parallelograms through the grids of facets, one facet per lane.
#pragma once

#include "kernels/core/least_squares.h"
#include "kernels/cpu/facet_pack_functions.h"
#include "kernels/cpu/pack_vectors.h"

namespace helioray::kernels {

/// A patch of every lane.
template <typename Real>
struct PatchPack {
    Vec<Real> center;
    Vec<Real> half_x;
    Vec<Real> half_y;
    Real bending[3];
};

/// Mean of kGridSize samples, `step` apart.
template <typename Real>
HELIORAY_HD Vec<Real> mean_point(const double* points, int first, int step) {
    constexpr int64_t kSize = 3 * kPackLanes<Real>;
    Vec<Real> sum{Real(0.0), Real(0.0), Real(0.0)};
    for (int64_t i = 0; i < kGridSize; ++i)
        sum = plain_add(sum, load_vec<Real>(points + (first + i * step) * kSize));
    return plain_scaled(Real(1.0 / kGridSize), sum);
}

/// Parallelogram through the middles of the four edges.
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

/// Fits the height above the parallelogram as c + cx x + cy y + b0 x^2 + b1 x y + b2 y^2; then
/// tilts and moves the parallelogram by its linear part.
template <typename Real>
HELIORAY_HD void fit_height(const double* points, PatchPack<Real>& patch) {
    constexpr int64_t kSize = 3 * kPackLanes<Real>;
    const Vec<Real> normal = plain_normalized(plain_cross(patch.half_x, patch.half_y));
    // Coordinates by the dual basis: the parallelogram need not be a rectangle.
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

/// Radius of a sphere about the patch's centre that holds the samples.
template <typename Real>
HELIORAY_HD Real radius_about(const double* points, const Vec<Real>& center) {
    constexpr int64_t kSize = 3 * kPackLanes<Real>;
    Real square(0.0);
    for (int64_t i = 0; i < kGridSamples; ++i) {
        const Vec<Real> p = load_vec<Real>(points + i * kSize) - center;
        square = max_(plain_dot(p, p), square);
    }
    // What lies between the samples, and rounding in single precision.
    return Real(1.02) * sqrt_(square) + Real(0.02);
}

/// Points of all lanes side by side: [kGridSamples, 3].
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
    // The fitted plane first (it moves and tilts the parallelogram), then the bending about it.
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

}  // namespace helioray::kernels
