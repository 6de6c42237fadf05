// SPDX-License-Identifier: MIT
// Helpers for maps whose pixels have equal areas of a curved surface: polynomials that the kernels
// evaluate, and places on the maps.
#pragma once

#include <array>
#include <functional>

namespace helioray {

/// Number of coefficients of a polynomial of a map.
inline constexpr int kMapCoefficients = 8;

/// Returns the coefficients, of x^0 first, of the polynomial that equals a smooth function at
/// Chebyshev nodes between `low` and 1.
std::array<double, kMapCoefficients> fit_polynomial(const std::function<double(double)>& function,
                                                    double low);

/// Returns the x in [low, high] at which a smooth increasing function has the value. Pictures and
/// centroids ask for every pixel, and solve_increasing() needs some 50 calls for each.
double find_increasing(const std::function<double(double)>& function,
                       double value,
                       double low,
                       double high);

}  // namespace helioray
