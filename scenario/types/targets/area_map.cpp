// SPDX-License-Identifier: MIT
// Integrals, polynomials and inverse functions for maps of equal areas.
#include "scenario/types/targets/area_map.h"

#include <cmath>
#include <cstddef>
#include <numbers>
#include <utility>

namespace helioray {

double integrate(const std::function<double(double)>& function, double low, double high) {
    // Gauss-Legendre rule of four points in each part.
    constexpr std::array<double, 2> kNodes{0.33998104358485626, 0.86113631159405258};
    constexpr std::array<double, 2> kWeights{0.65214515486254614, 0.34785484513745386};
    constexpr int kParts = 6;
    const double half = 0.5 * (high - low) / kParts;
    double sum = 0.0;
    for (int part = 0; part < kParts; ++part) {
        const double middle = low + (2 * part + 1) * half;
        for (size_t i = 0; i < kNodes.size(); ++i)
            sum += kWeights[i] *
                   (function(middle - kNodes[i] * half) + function(middle + kNodes[i] * half));
    }
    return sum * half;
}

std::array<double, kMapCoefficients> fit_polynomial(const std::function<double(double)>& function,
                                                    double low) {
    constexpr auto kSize = static_cast<size_t>(kMapCoefficients);
    std::array<std::array<double, kSize + 1>, kSize> rows{};
    for (size_t i = 0; i < kSize; ++i) {
        const double angle =
            std::numbers::pi * (static_cast<double>(i) + 0.5) / static_cast<double>(kSize);
        const double x = 0.5 * (1.0 + low) + 0.5 * (1.0 - low) * std::cos(angle);
        double power = 1.0;
        for (size_t k = 0; k < kSize; ++k, power *= x) rows[i][k] = power;
        rows[i][kSize] = function(x);
    }
    // Gaussian elimination with the largest pivot.
    for (size_t k = 0; k < kSize; ++k) {
        size_t pivot = k;
        for (size_t i = k + 1; i < kSize; ++i)
            if (std::abs(rows[i][k]) > std::abs(rows[pivot][k])) pivot = i;
        std::swap(rows[k], rows[pivot]);
        for (size_t i = 0; i < kSize; ++i) {
            if (i == k) continue;
            const double factor = rows[i][k] / rows[k][k];
            for (size_t j = k; j <= kSize; ++j) rows[i][j] -= factor * rows[k][j];
        }
    }
    std::array<double, kMapCoefficients> coefficients{};
    for (size_t k = 0; k < kSize; ++k) coefficients[k] = rows[k][kSize] / rows[k][k];
    return coefficients;
}

double find_increasing(const std::function<double(double)>& function,
                       double value,
                       double low,
                       double high) {
    double below = function(low), above = function(high);
    if (value <= below) return low;
    if (value >= above) return high;
    // Regula falsi, in the variant that halves the value of an end that stays (Illinois).
    int stays = 0;
    for (int i = 0; i < 60 && high - low > 1e-13 * (std::abs(low) + std::abs(high)); ++i) {
        const double middle = low + (high - low) * (value - below) / (above - below);
        const double at_middle = function(middle);
        if (at_middle == value) return middle;
        if (at_middle < value) {
            low = middle;
            below = at_middle;
            if (stays > 0) above = value + 0.5 * (above - value);
            stays = 1;
        } else {
            high = middle;
            above = at_middle;
            if (stays < 0) below = value + 0.5 * (below - value);
            stays = -1;
        }
    }
    return 0.5 * (low + high);
}

}  // namespace helioray
