// SPDX-License-Identifier: MIT
// Forward-mode automatic differentiation with dual numbers, for formulas that are templates of
// their number type.
#pragma once

#include <array>
#include <cmath>
#include <cstddef>
#include <type_traits>

namespace helioray {

/// A value and its derivatives with respect to N variables. S is the type of these numbers: double,
/// or again a Dual for second derivatives.
///
/// There are no comparison operators: formulas compare value_of(), so that their branches are
/// visible. Derivatives are those of the branch taken.
template <size_t N, typename S = double>
struct Dual {
    S value{};                 ///< value of the function
    std::array<S, N> slope{};  ///< derivatives with respect to the variables

    Dual() = default;
    /// Creates a constant, whose derivatives are 0.
    Dual(double constant) : value(constant) {}  // NOLINT(google-explicit-constructor)
    /// Creates a number with its derivatives.
    Dual(const S& number, const std::array<S, N>& slopes) : value(number), slope(slopes) {}
};

/// Returns the value without derivatives.
inline double value_of(double x) {
    return x;
}
/// Returns the value without derivatives.
template <size_t N, typename S>
double value_of(const Dual<N, S>& x) {
    return value_of(x.value);
}

/// Order of differentiation of a number type: 0 for double, 1 for Dual<N>, 2 for Dual<N, Dual<M>>.
template <typename T>
inline constexpr int kOrder = 0;
/// Order of Dual<N, S>.
template <size_t N, typename S>
inline constexpr int kOrder<Dual<N, S>> = 1 + kOrder<S>;

/// Applies the chain rule: returns f(x) from f and its derivative at the value of x.
template <size_t N, typename S>
Dual<N, S> chained(const Dual<N, S>& x, const S& f, const S& derivative) {
    Dual<N, S> result;
    result.value = f;
    for (size_t i = 0; i < N; ++i) result.slope[i] = derivative * x.slope[i];
    return result;
}

/// Applies the chain rule: returns f(x, y) from f and its partial derivatives.
template <size_t N, typename S>
Dual<N, S> chained(
    const Dual<N, S>& x, const Dual<N, S>& y, const S& f, const S& by_x, const S& by_y) {
    Dual<N, S> result;
    result.value = f;
    for (size_t i = 0; i < N; ++i) result.slope[i] = by_x * x.slope[i] + by_y * y.slope[i];
    return result;
}

/// Negation.
template <size_t N, typename S>
Dual<N, S> operator-(const Dual<N, S>& x) {
    Dual<N, S> result;
    result.value = -x.value;
    for (size_t i = 0; i < N; ++i) result.slope[i] = -x.slope[i];
    return result;
}
/// Sum.
template <size_t N, typename S>
Dual<N, S> operator+(const Dual<N, S>& x, const Dual<N, S>& y) {
    Dual<N, S> result;
    result.value = x.value + y.value;
    for (size_t i = 0; i < N; ++i) result.slope[i] = x.slope[i] + y.slope[i];
    return result;
}
/// Difference.
template <size_t N, typename S>
Dual<N, S> operator-(const Dual<N, S>& x, const Dual<N, S>& y) {
    Dual<N, S> result;
    result.value = x.value - y.value;
    for (size_t i = 0; i < N; ++i) result.slope[i] = x.slope[i] - y.slope[i];
    return result;
}
/// Product.
template <size_t N, typename S>
Dual<N, S> operator*(const Dual<N, S>& x, const Dual<N, S>& y) {
    return chained<N, S>(x, y, x.value * y.value, y.value, x.value);
}
/// Quotient.
template <size_t N, typename S>
Dual<N, S> operator/(const Dual<N, S>& x, const Dual<N, S>& y) {
    const S quotient = x.value / y.value, inverse = S(1.0) / y.value;
    return chained<N, S>(x, y, quotient, inverse, -quotient * inverse);
}

/// Sum with a constant, which has no derivatives.
template <size_t N, typename S>
Dual<N, S> operator+(const Dual<N, S>& x, double c) {
    return {x.value + c, x.slope};
}
/// Sum with a constant.
template <size_t N, typename S>
Dual<N, S> operator+(double c, const Dual<N, S>& x) {
    return x + c;
}
/// Difference of a number and a constant.
template <size_t N, typename S>
Dual<N, S> operator-(const Dual<N, S>& x, double c) {
    return {x.value - c, x.slope};
}
/// Difference of a constant and a number.
template <size_t N, typename S>
Dual<N, S> operator-(double c, const Dual<N, S>& x) {
    return -x + c;
}
/// Product with a constant.
template <size_t N, typename S>
Dual<N, S> operator*(const Dual<N, S>& x, double c) {
    Dual<N, S> result;
    result.value = x.value * c;
    for (size_t i = 0; i < N; ++i) result.slope[i] = x.slope[i] * c;
    return result;
}
/// Product with a constant.
template <size_t N, typename S>
Dual<N, S> operator*(double c, const Dual<N, S>& x) {
    return x * c;
}
/// Quotient by a constant.
template <size_t N, typename S>
Dual<N, S> operator/(const Dual<N, S>& x, double c) {
    return x * (1.0 / c);
}

// Overloads of <cmath> functions, found by argument-dependent lookup.

/// Square root.
template <size_t N, typename S>
Dual<N, S> sqrt(const Dual<N, S>& x) {
    using std::sqrt;
    const S root = sqrt(x.value);
    return chained<N, S>(x, root, S(0.5) / root);
}
/// Sine of an angle in radians.
template <size_t N, typename S>
Dual<N, S> sin(const Dual<N, S>& x) {
    using std::cos, std::sin;
    return chained<N, S>(x, sin(x.value), cos(x.value));
}
/// Cosine of an angle in radians.
template <size_t N, typename S>
Dual<N, S> cos(const Dual<N, S>& x) {
    using std::cos, std::sin;
    return chained<N, S>(x, cos(x.value), -sin(x.value));
}
/// Arc cosine, radians, in [0, pi]; no derivative exists at -1 and 1.
template <size_t N, typename S>
Dual<N, S> acos(const Dual<N, S>& x) {
    using std::acos, std::sqrt;
    return chained<N, S>(x, acos(x.value), S(-1.0) / sqrt(1.0 - x.value * x.value));
}
/// Arc tangent, radians, in (-pi, pi]; no derivative exists at (0, 0).
template <size_t N, typename S>
Dual<N, S> atan2(const Dual<N, S>& y, const Dual<N, S>& x) {
    using std::atan2;
    const S inverse = S(1.0) / (x.value * x.value + y.value * y.value);
    return chained<N, S>(y, x, atan2(y.value, x.value), x.value * inverse, -y.value * inverse);
}
/// Absolute value; the derivative at 0 is 0.
template <size_t N, typename S>
Dual<N, S> abs(const Dual<N, S>& x) {
    const double value = value_of(x);
    return value > 0 ? x : value < 0 ? -x : Dual<N, S>(0.0);
}

}  // namespace helioray
