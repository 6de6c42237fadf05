// SPDX-License-Identifier: MIT
// Numerical integrals of smooth functions of one variable and roots of increasing ones.
#pragma once

namespace helioray {

/// Simpson's rule over [a, b] with an even number of intervals.
template <class Function>
double integrate(const Function& f, double a, double b, int intervals = 64) {
    const double h = (b - a) / intervals;
    double sum = f(a) + f(b);
    for (int i = 1; i < intervals; ++i) sum += (i % 2 ? 4.0 : 2.0) * f(a + i * h);
    return sum * h / 3.0;
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
