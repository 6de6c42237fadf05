// SPDX-License-Identifier: MIT
// Polynomials and inverse functions for maps of equal areas.
#include "scenario/types/targets/area_map.h"

#include <cmath>
#include <cstddef>
#include <numbers>
#include <utility>

namespace helioray {

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
