// SPDX-License-Identifier: MIT
// Solves dense symmetric positive definite systems. Internal to this folder.
#pragma once

#include "raytracer/solvers/surface_fit/height_spline.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <utility>
#include <vector>

namespace helioray::reconstruction {

/// A symmetric matrix; the order of an element's indices does not matter.
class DenseMatrix {
  public:
    explicit DenseMatrix(size_t size) : matrix_(size, size - 1) {}
    /// Creates the matrix from all elements in rows; diagonal elements are increased by the
    /// fraction `damping`.
    DenseMatrix(const std::vector<double>& values, size_t size, double damping = 0.0)
        : DenseMatrix(size) {
        for (size_t a = 0; a < size; ++a)
            for (size_t b = 0; b <= a; ++b) at(a, b) = values[a * size + b];
        for (size_t a = 0; a < size; ++a) at(a, a) *= 1.0 + damping;
    }

    double& at(size_t i, size_t j) { return matrix_.at(std::max(i, j), std::min(i, j)); }

    /// Factorises the matrix, see BandedMatrix::factorise().
    bool factorise() { return matrix_.factorise(); }
    /// Returns x with A x = b. Requires factorise().
    std::vector<double> solve(std::vector<double> b) const { return matrix_.solve(std::move(b)); }
    /// Returns the logarithm of A's determinant. Requires factorise().
    double log_determinant() const {
        double sum = 0.0;
        for (size_t i = 0; i < matrix_.size(); ++i) sum += 2.0 * std::log(matrix_.at(i, i));
        return sum;
    }
    /// Returns all elements of A^-1 in rows. Requires factorise().
    std::vector<double> inverse() const {
        const size_t size = matrix_.size();
        std::vector<double> result;
        for (size_t a = 0; a < size; ++a) {
            std::vector<double> unit(size, 0.0);
            unit[a] = 1.0;
            const std::vector<double> row = solve(std::move(unit));
            result.insert(result.end(), row.begin(), row.end());
        }
        return result;
    }

  private:
    BandedMatrix matrix_;
};

}  // namespace helioray::reconstruction
