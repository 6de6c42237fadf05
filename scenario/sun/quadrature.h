// SPDX-License-Identifier: MIT
// Numerical integrals of smooth functions of one variable and roots of increasing ones. Boost.Math
// has both; 25 lines are not worth another dependency.
#pragma once

namespace helioray {

/// Integral of a smooth function over [a, b]: Gauss and Legendre's rule with five points (exact up
/// to the ninth degree) in each of some equal parts.
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

/// Where the increasing function f reaches a value within [a, b], by bisection to the last bits; an
/// end of the interval where the value lies beyond it.
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
