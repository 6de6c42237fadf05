// SPDX-License-Identifier: MIT
// Factorises small symmetric positive definite matrices (Cholesky). This is a separate
// implementation because loops over 4 to 30 unknowns are the inner part of the solver, and no other
// part of the project needs dense matrices of this size.
#pragma once

#include <cmath>
#include <cstddef>
#include <vector>

namespace helioray::calibration {

/// A square matrix, stored by rows.
class SquareMatrix {
  public:
    SquareMatrix() = default;
    /// Creates a matrix of zeros.
    explicit SquareMatrix(size_t size) : size_(size), values_(size * size, 0.0) {}

    size_t size() const { return size_; }  ///< Number of rows.
    /// Returns the element in row i and column j.
    double& operator()(size_t i, size_t j) { return values_[i * size_ + j]; }
    /// Returns the element in row i and column j.
    double operator()(size_t i, size_t j) const { return values_[i * size_ + j]; }
    const std::vector<double>& values() const { return values_; }  ///< Elements, row by row.
    std::vector<double>& values() { return values_; }              ///< Elements, row by row.

  private:
    size_t size_ = 0;
    std::vector<double> values_;
};

/// Cholesky factor L (lower) of a symmetric positive definite matrix L L^T.
class Cholesky {
  public:
    /// Factorises a matrix. Reads its lower half only.
    explicit Cholesky(SquareMatrix matrix) : factor_(std::move(matrix)) {
        const size_t n = factor_.size();
        for (size_t i = 0; i < n; ++i) {
            for (size_t j = 0; j <= i; ++j) {
                double sum = factor_(i, j);
                for (size_t k = 0; k < j; ++k) sum -= factor_(i, k) * factor_(j, k);
                if (j < i) {
                    factor_(i, j) = sum / factor_(j, j);
                } else {
                    positive_ = positive_ && sum > 0;
                    factor_(i, i) = std::sqrt(sum > 0 ? sum : 1.0);
                }
            }
        }
    }

    /// Returns true if the matrix is positive definite. Otherwise all other results are undefined.
    bool positive() const { return positive_; }

    /// Solves L L^T x = b.
    std::vector<double> solve(std::vector<double> b) const {
        const size_t n = factor_.size();
        for (size_t i = 0; i < n; ++i) {
            for (size_t k = 0; k < i; ++k) b[i] -= factor_(i, k) * b[k];
            b[i] /= factor_(i, i);
        }
        for (size_t i = n; i-- > 0;) {
            for (size_t k = i + 1; k < n; ++k) b[i] -= factor_(k, i) * b[k];
            b[i] /= factor_(i, i);
        }
        return b;
    }

    /// Returns the logarithm of the determinant.
    double log_determinant() const {
        double sum = 0.0;
        for (size_t i = 0; i < factor_.size(); ++i) sum += 2.0 * std::log(factor_(i, i));
        return sum;
    }

    /// Computes L^-1, a lower matrix.
    SquareMatrix inverse_factor() const {
        const size_t n = factor_.size();
        SquareMatrix result(n);
        for (size_t i = 0; i < n; ++i) {
            const double pivot = 1.0 / factor_(i, i);
            for (size_t k = 0; k < i; ++k) {
                const double share = pivot * factor_(i, k);
                for (size_t j = 0; j <= k; ++j) result(i, j) -= share * result(k, j);
            }
            result(i, i) = pivot;
        }
        return result;
    }

    /// Computes the inverse of the matrix, L^-T L^-1.
    SquareMatrix inverse() const {
        const size_t n = factor_.size();
        const SquareMatrix lower = inverse_factor();
        SquareMatrix result(n);
        for (size_t k = 0; k < n; ++k) {
            for (size_t i = 0; i <= k; ++i) {
                for (size_t j = 0; j <= i; ++j) result(i, j) += lower(k, i) * lower(k, j);
            }
        }
        for (size_t i = 0; i < n; ++i) {
            for (size_t j = 0; j < i; ++j) result(j, i) = result(i, j);
        }
        return result;
    }

    /// Computes the sum of the diagonal of the inverse.
    double trace_of_inverse() const {
        const SquareMatrix lower = inverse_factor();
        double sum = 0.0;
        for (const double value : lower.values()) sum += value * value;
        return sum;
    }

  private:
    SquareMatrix factor_;
    bool positive_ = true;
};

}  // namespace helioray::calibration
