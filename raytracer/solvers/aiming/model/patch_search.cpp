// SPDX-License-Identifier: MIT
// Searches patches by refining their Bezier nets.
#include "raytracer/solvers/aiming/model/patch_search.h"

#include <algorithm>
#include <cstddef>

namespace helioray::aiming {

namespace {

double corner(const SplinePatch& p, int x, int y) {
    return 0.25 * (p[x][y] + p[x][y + 1] + p[x + 1][y] + p[x + 1][y + 1]);
}

double largest(const SplinePatch& p) {
    // Convert the coefficients to a Bezier net; the patch lies within its convex hull.
    double most = p[1][1];
    for (int i = 0; i < 2; ++i) {
        most = std::max(most, 0.5 * (p[1][i] + p[1][i + 1]));
        most = std::max(most, 0.5 * (p[i][1] + p[i + 1][1]));
        for (int j = 0; j < 2; ++j) most = std::max(most, corner(p, i, j));
    }
    return most;
}

/// Returns the coefficients of one quarter of the patch (Chaikin's corner cutting).
SplinePatch quarter(const SplinePatch& p, int x, int y) {
    const auto cut = [](const std::array<double, 3>& a, int half) -> std::array<double, 3> {
        if (half == 0)
            return {
                0.75 * a[0] + 0.25 * a[1], 0.25 * a[0] + 0.75 * a[1], 0.75 * a[1] + 0.25 * a[2]};
        return {0.25 * a[0] + 0.75 * a[1], 0.75 * a[1] + 0.25 * a[2], 0.25 * a[1] + 0.75 * a[2]};
    };
    SplinePatch by_rows;
    for (size_t i = 0; i < 3; ++i) by_rows[i] = cut(p[i], y);
    SplinePatch result;
    for (size_t j = 0; j < 3; ++j) {
        const auto column = cut({by_rows[0][j], by_rows[1][j], by_rows[2][j]}, x);
        for (size_t i = 0; i < 3; ++i) result[i][j] = column[i];
    }
    return result;
}

}  // namespace

void PatchSearch::search(const SplinePatch& patch, double left, double top, double size) {
    for (int i = 0; i < 2; ++i) {
        for (int j = 0; j < 2; ++j) {
            const double taken = corner(patch, i, j);
            if (taken <= value) continue;
            value = taken;
            x = left + i * size;
            y = top + j * size;
        }
    }
    const double most = largest(patch);
    if (most <= std::max(value + tolerance, bound) || size < 1.0 / 64.0) {
        bound = std::max(bound, most);
        return;
    }
    for (int i = 0; i < 2; ++i)
        for (int j = 0; j < 2; ++j)
            search(quarter(patch, i, j), left + 0.5 * i * size, top + 0.5 * j * size, 0.5 * size);
}

}  // namespace helioray::aiming
