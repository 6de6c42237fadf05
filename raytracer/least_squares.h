// SPDX-License-Identifier: MIT
// Linear least squares with a handful of unknowns.
#pragma once

#include <array>
#include <cmath>
#include <cstddef>

namespace helioray {

/// Minimises the sum over rows of (coefficients . terms - value)^2.
///
/// By the normal equations and Cholesky's method, which suffices for well-scaled terms; thousands
/// of such small systems take longer in a threaded LAPACK than all else of a field's preparation.
template <size_t N>
class LeastSquares {
  public:
    void add_row(const std::array<double, N>& terms, double value) {
        for (size_t i = 0; i < N; ++i) {
            for (size_t j = 0; j <= i; ++j) normal_[i][j] += terms[i] * terms[j];
            right_[i] += terms[i] * value;
        }
    }

    /// Coefficients; not finite when the rows do not determine them.
    std::array<double, N> solve() const {
        auto lower = normal_;
        auto x = right_;
        for (size_t i = 0; i < N; ++i) {
            for (size_t j = 0; j <= i; ++j) {
                for (size_t k = 0; k < j; ++k) lower[i][j] -= lower[i][k] * lower[j][k];
                lower[i][j] = i == j ? std::sqrt(lower[i][i]) : lower[i][j] / lower[j][j];
            }
            for (size_t k = 0; k < i; ++k) x[i] -= lower[i][k] * x[k];
            x[i] /= lower[i][i];
        }
        for (size_t i = N; i-- > 0;) {
            for (size_t k = i + 1; k < N; ++k) x[i] -= lower[k][i] * x[k];
            x[i] /= lower[i][i];
        }
        return x;
    }

  private:
    std::array<std::array<double, N>, N> normal_{};
    std::array<double, N> right_{};
};

}  // namespace helioray
