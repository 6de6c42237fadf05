// SPDX-License-Identifier: MIT
// Helpers for maps whose pixels have equal areas of a curved surface: integrals of areas, and
// polynomials that the kernels evaluate.
#pragma once

#include <array>
#include <functional>

namespace helioray {

/// Number of coefficients of a polynomial of a map.
inline constexpr int kMapCoefficients = 8;

/// Returns the integral of a smooth function from `low` to `high`.
double integrate(const std::function<double(double)>& function, double low, double high);

/// Returns the coefficients, of x^0 first, of the polynomial that equals a smooth function at
/// Chebyshev nodes between `low` and 1.
std::array<double, kMapCoefficients> fit_polynomial(const std::function<double(double)>& function,
                                                    double low);

/// Returns the x in [low, high] at which an increasing function has the value.
double find_increasing(const std::function<double(double)>& function,
                       double value,
                       double low,
                       double high);

}  // namespace helioray
