// SPDX-License-Identifier: MIT
// Symmetric banded matrices: products, Cholesky's factorisation, solution.
#include "raytracer/surface_fit/banded_matrix.h"

#include <algorithm>
#include <cmath>

namespace helioray {

BandedMatrix::BandedMatrix(size_t size, size_t bandwidth)
    : size_(size), bandwidth_(bandwidth), values_(size * (bandwidth + 1), 0.0) {}

void BandedMatrix::add_scaled(const BandedMatrix& other, double factor) {
    for (size_t i = 0; i < values_.size(); ++i) values_[i] += factor * other.values_[i];
}

double BandedMatrix::trace() const {
    double sum = 0.0;
    for (size_t i = 0; i < size_; ++i) sum += at(i, i);
    return sum;
}

std::vector<double> BandedMatrix::multiply(const std::vector<double>& x) const {
    std::vector<double> product(size_, 0.0);
    for (size_t i = 0; i < size_; ++i) {
        for (size_t j = i - std::min(i, bandwidth_); j < i; ++j) {
            product[i] += at(i, j) * x[j];
            product[j] += at(i, j) * x[i];
        }
        product[i] += at(i, i) * x[i];
    }
    return product;
}

bool BandedMatrix::factorise() {
    for (size_t i = 0; i < size_; ++i) {
        const size_t first = i - std::min(i, bandwidth_);
        for (size_t j = first; j <= i; ++j) {
            double sum = at(i, j);
            for (size_t k = std::max(first, j - std::min(j, bandwidth_)); k < j; ++k) {
                sum -= at(i, k) * at(j, k);
            }
            if (j < i) {
                at(i, j) = sum / at(j, j);
            } else {
                if (!(sum > 0.0)) return false;
                at(i, i) = std::sqrt(sum);
            }
        }
    }
    return true;
}

std::vector<double> BandedMatrix::solve(std::vector<double> b) const {
    for (size_t i = 0; i < size_; ++i) {
        for (size_t j = i - std::min(i, bandwidth_); j < i; ++j) b[i] -= at(i, j) * b[j];
        b[i] /= at(i, i);
    }
    for (size_t i = size_; i-- > 0;) {
        b[i] /= at(i, i);
        for (size_t j = i - std::min(i, bandwidth_); j < i; ++j) b[j] -= at(i, j) * b[i];
    }
    return b;
}

}  // namespace helioray
