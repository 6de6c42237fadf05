// SPDX-License-Identifier: MIT
// Linear least squares with a handful of unknowns.
#pragma once

#include "kernels/core/scalar.h"

namespace helioray::kernels {

/// Minimises the sum over rows of (coefficients . terms - value)^2, in every lane on its own.
///
/// By the normal equations and Cholesky's method, which suffices for well-scaled terms; thousands
/// of such small systems take longer in a threaded LAPACK than all else of a field's preparation.
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

    /// Coefficients; not finite when the rows do not determine them. Spoils the sums.
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

}  // namespace helioray::kernels
