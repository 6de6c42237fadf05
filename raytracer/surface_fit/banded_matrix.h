// SPDX-License-Identifier: MIT
// Symmetric banded matrices: the normal equations of B-spline fits.
#pragma once

#include <cstddef>
#include <vector>

namespace helioray {

/// Symmetric matrix whose elements (i, j) are 0 for |i - j| above the bandwidth. Only the lower
/// half is stored: memory size * (bandwidth + 1).
class BandedMatrix {
  public:
    BandedMatrix(size_t size, size_t bandwidth);

    size_t size() const { return size_; }
    size_t bandwidth() const { return bandwidth_; }

    /// Element (i, j) with i - bandwidth <= j <= i.
    double& at(size_t i, size_t j) { return values_[i * (bandwidth_ + 1) + bandwidth_ + j - i]; }
    double at(size_t i, size_t j) const {
        return values_[i * (bandwidth_ + 1) + bandwidth_ + j - i];
    }

    /// Adds factor * other; both have the same size and bandwidth.
    void add_scaled(const BandedMatrix& other, double factor);
    double trace() const;
    std::vector<double> multiply(const std::vector<double>& x) const;

    /// Replaces the matrix by its Cholesky factor L (A = L L^T); false, leaving rubbish, when it is
    /// not positive definite. Cost: size * bandwidth^2.
    bool factorise();
    /// After factorise(): x with L L^T x = b.
    std::vector<double> solve(std::vector<double> b) const;

  private:
    size_t size_;
    size_t bandwidth_;
    std::vector<double> values_;
};

}  // namespace helioray
