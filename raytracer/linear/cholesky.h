// SPDX-License-Identifier: MIT
// Factorises symmetric positive definite matrices (Cholesky). Eigen would replace 90 lines by a
// dependency; loops over 3 to 30 unknowns are the inner part of the solvers.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <stdexcept>
#include <utility>
#include <vector>

namespace helioray {

/// A square matrix, stored by rows.
class SquareMatrix {
  public:
    SquareMatrix() = default;
    /// Creates a matrix of zeros.
    explicit SquareMatrix(size_t size) : SquareMatrix(size, std::vector<double>(size * size)) {}
    /// Creates a matrix from its elements, row by row.
    SquareMatrix(size_t size, std::vector<double> values)
        : size_(size), values_(std::move(values)) {}

    size_t size() const { return size_; }  ///< Number of rows.
    /// Largest distance of an element from the diagonal.
    size_t bandwidth() const { return size_ - 1; }
    /// Returns the element in row i and column j.
    double& operator()(size_t i, size_t j) { return values_[i * size_ + j]; }
    /// Returns the element in row i and column j.
    double operator()(size_t i, size_t j) const { return values_[i * size_ + j]; }
    const std::vector<double>& values() const { return values_; }  ///< Elements, row by row.
    std::vector<double>& values() { return values_; }              ///< Elements, row by row.

    /// Multiplies the elements of the diagonal.
    void scale_diagonal(double factor) {
        for (size_t i = 0; i < size_; ++i) (*this)(i, i) *= factor;
    }

  private:
    size_t size_ = 0;
    std::vector<double> values_;
};

/// Cholesky factor L (lower) of a symmetric positive definite matrix L L^T, for matrices with
/// size(), bandwidth() and elements (i, j) with i - bandwidth <= j <= i.
template <typename Matrix>
class Cholesky {
  public:
    /// Factorises a matrix at the cost of size * bandwidth^2. Reads its lower half only. Pivots are
    /// at least `least_pivot` times their diagonal element, for matrices that are positive definite
    /// but for rounding.
    explicit Cholesky(Matrix matrix, double least_pivot = 0.0) : factor_(std::move(matrix)) {
        for (size_t i = 0; i < factor_.size(); ++i) {
            const size_t first = first_column(i);
            const double least = least_pivot * factor_(i, i);
            for (size_t j = first; j <= i; ++j) {
                double sum = factor_(i, j);
                for (size_t k = std::max(first, first_column(j)); k < j; ++k)
                    sum -= factor_(i, k) * factor_(j, k);
                if (j < i) {
                    factor_(i, j) = sum / factor_(j, j);
                } else {
                    sum = std::max(sum, least);
                    positive_ = positive_ && sum > 0;
                    factor_(i, i) = std::sqrt(sum > 0 ? sum : 1.0);
                }
            }
        }
    }

    /// Returns true if the matrix is positive definite. Otherwise all other results are undefined.
    bool positive() const { return positive_; }

    /// Returns L.
    const Matrix& factor() const { return factor_; }

    /// Solves L L^T x = b.
    std::vector<double> solve(std::vector<double> b) const {
        for (size_t i = 0; i < b.size(); ++i) {
            for (size_t j = first_column(i); j < i; ++j) b[i] -= factor_(i, j) * b[j];
            b[i] /= factor_(i, i);
        }
        for (size_t i = b.size(); i-- > 0;) {
            b[i] /= factor_(i, i);
            for (size_t j = first_column(i); j < i; ++j) b[j] -= factor_(i, j) * b[i];
        }
        return b;
    }

    /// Returns the logarithm of the determinant.
    double log_determinant() const {
        double sum = 0.0;
        for (size_t i = 0; i < factor_.size(); ++i) sum += 2.0 * std::log(factor_(i, i));
        return sum;
    }

    /// Computes L^-1, a lower matrix. Only for a SquareMatrix.
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

    /// Computes the inverse of the matrix, L^-T L^-1. Only for a SquareMatrix.
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

    /// Computes the sum of the diagonal of the inverse. Only for a SquareMatrix.
    double trace_of_inverse() const {
        const SquareMatrix lower = inverse_factor();
        double sum = 0.0;
        for (const double value : lower.values()) sum += value * value;
        return sum;
    }

  private:
    /// Returns the column of a row's first element within the band.
    size_t first_column(size_t row) const { return row - std::min(row, factor_.bandwidth()); }

    Matrix factor_;
    bool positive_ = true;
};

/// Factorises a matrix that must be positive definite. Throws std::logic_error with the reason why
/// it must be if it is not.
inline Cholesky<SquareMatrix> factorise(SquareMatrix matrix, const char* reason) {
    Cholesky factors(std::move(matrix));
    if (!factors.positive()) throw std::logic_error(reason);
    return factors;
}

}  // namespace helioray
