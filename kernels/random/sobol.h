// SPDX-License-Identifier: MIT
// Sobol points with the direction numbers of Joe and Kuo (new-joe-kuo-6.21201), dimensions 1 to 8.
#pragma once

#include "kernels/core/scalar.h"

namespace helioray::kernels {

inline constexpr int kSobolDimensions = 8;
inline constexpr int kSobolBits = 32;

/// Direction numbers: bit k of the Gray code of an index adds direction[dimension][k] by exclusive
/// or.
struct SobolTable {
    uint32_t direction[kSobolDimensions][kSobolBits];
};

/// Builds the table at compile time from primitive polynomials and initial numbers.
constexpr SobolTable make_sobol_table() {
    struct Polynomial {
        int degree;
        uint32_t coefficients;
        uint32_t initial[5];
    };
    constexpr Polynomial kPolynomials[kSobolDimensions] = {{0, 0, {1}},
                                                           {1, 0, {1}},
                                                           {2, 1, {1, 3}},
                                                           {3, 1, {1, 3, 1}},
                                                           {3, 2, {1, 1, 1}},
                                                           {4, 1, {1, 1, 3, 3}},
                                                           {4, 4, {1, 3, 5, 13}},
                                                           {5, 2, {1, 1, 5, 5, 17}}};
    SobolTable table{};
    for (int d = 0; d < kSobolDimensions; ++d) {
        const Polynomial& polynomial = kPolynomials[d];
        const int degree = polynomial.degree;
        for (int k = 0; k < kSobolBits; ++k) {
            if (degree == 0) {
                table.direction[d][k] = 1u << (31 - k);
            } else if (k < degree) {
                table.direction[d][k] = polynomial.initial[k] << (31 - k);
            } else {
                uint32_t v =
                    table.direction[d][k - degree] ^ (table.direction[d][k - degree] >> degree);
                for (int j = 1; j < degree; ++j) {
                    if ((polynomial.coefficients >> (degree - 1 - j)) & 1u)
                        v ^= table.direction[d][k - j];
                }
                table.direction[d][k] = v;
            }
        }
    }
    return table;
}

/// Point `index` of one dimension in natural (not Gray) order, as 32 bits.
HELIORAY_HD uint32_t sobol(const SobolTable& table, int dimension, uint32_t index) {
    uint32_t x = 0;
    for (int k = 0; index != 0; ++k, index >>= 1) {
        if (index & 1u) x ^= table.direction[dimension][k];
    }
    return x;
}

}  // namespace helioray::kernels
