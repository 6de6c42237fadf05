// SPDX-License-Identifier: MIT
// Numerical integrals of smooth functions of one variable and roots of increasing functions.
// Boost.Math has both, but 25 lines do not justify another dependency.
#pragma once

namespace helioray {

/// Returns the integral of a smooth function over [a, b]: Gauss-Legendre's rule with five points
/// (exact to the ninth degree) in each of some equal parts. kernels/core/quadrature.h has the same
/// nodes, which the layers do not allow to include; test_radial_profile.cpp compares both.
template <class Function>
double integrate(const Function& f, double a, double b, int parts = 8) {
    constexpr double kNode[] = {0.0, 0.5384693101056831, 0.9061798459386640};
    constexpr double kWeight[] = {0.5688888888888889, 0.4786286704993665, 0.2369268850561891};
    const double half = 0.5 * (b - a) / parts;
    double sum = 0.0;
    for (int i = 0; i < parts; ++i) {
        const double middle = a + (2 * i + 1) * half;
        sum += kWeight[0] * f(middle);
        for (int k : {1, 2})
            sum += kWeight[k] * (f(middle - half * kNode[k]) + f(middle + half * kNode[k]));
    }
    return sum * half;
}

/// Returns the argument in [a, b] at which the increasing function f reaches a value, by bisection
/// to the last bits, or an end of the interval if the value is beyond it.
template <class Function>
double solve_increasing(const Function& f, double value, double a, double b) {
    for (int i = 0; i < 200; ++i) {
        const double middle = 0.5 * (a + b);
        if (middle <= a || middle >= b) break;
        (f(middle) < value ? a : b) = middle;
    }
    return 0.5 * (a + b);
}

}  // namespace helioray
