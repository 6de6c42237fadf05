// SPDX-License-Identifier: MIT
// Numbers that carry their derivatives along: forward-mode differentiation of any formula that is
// written for a type of number.
#pragma once

#include <array>
#include <cmath>
#include <cstddef>
#include <type_traits>

namespace helioray {

/// A value and its derivatives by N variables. S is the type of these numbers: double, or again a
/// Dual for second derivatives.
///
/// Comparisons are left to value_of(), so that formulas show where they branch; derivatives are
/// those of the branch taken.
template <size_t N, typename S = double>
struct Dual {
    S value{};                 ///< of the function
    std::array<S, N> slope{};  ///< derivatives by the variables

    Dual() = default;
    /// A constant.
    Dual(double constant) : value(constant) {}  // NOLINT(google-explicit-constructor)
    /// A number with its derivatives.
    Dual(const S& number, const std::array<S, N>& slopes) : value(number), slope(slopes) {}
};

/// The number alone.
inline double value_of(double x) {
    return x;
}
/// The number alone.
template <size_t N, typename S>
double value_of(const Dual<N, S>& x) {
    return value_of(x.value);
}

/// How often a type of number is differentiated: 0 for double, 1 for Dual<N>, 2 for
/// Dual<N, Dual<M>>.
template <typename T>
inline constexpr int kOrder = 0;
template <size_t N, typename S>
inline constexpr int kOrder<Dual<N, S>> = 1 + kOrder<S>;

/// f(x) from f and its derivative at the value of x.
template <size_t N, typename S>
Dual<N, S> chained(const Dual<N, S>& x, const S& f, const S& derivative) {
    Dual<N, S> result;
    result.value = f;
    for (size_t i = 0; i < N; ++i) result.slope[i] = derivative * x.slope[i];
    return result;
}

/// f(x, y) from f and its derivatives by both.
template <size_t N, typename S>
Dual<N, S> chained(
    const Dual<N, S>& x, const Dual<N, S>& y, const S& f, const S& by_x, const S& by_y) {
    Dual<N, S> result;
    result.value = f;
    for (size_t i = 0; i < N; ++i) result.slope[i] = by_x * x.slope[i] + by_y * y.slope[i];
    return result;
}

/// The negative.
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
/// The same.
template <size_t N, typename S>
Dual<N, S> operator+(double c, const Dual<N, S>& x) {
    return x + c;
}
/// Difference to a constant.
template <size_t N, typename S>
Dual<N, S> operator-(const Dual<N, S>& x, double c) {
    return {x.value - c, x.slope};
}
/// Difference of a constant.
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
/// The same.
template <size_t N, typename S>
Dual<N, S> operator*(double c, const Dual<N, S>& x) {
    return x * c;
}
/// Quotient by a constant.
template <size_t N, typename S>
Dual<N, S> operator/(const Dual<N, S>& x, double c) {
    return x * (1.0 / c);
}

// Found by their arguments beside those of <cmath>.

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
/// Radians, in [0, pi]; no derivative exists at -1 and 1.
template <size_t N, typename S>
Dual<N, S> acos(const Dual<N, S>& x) {
    using std::acos, std::sqrt;
    return chained<N, S>(x, acos(x.value), S(-1.0) / sqrt(1.0 - x.value * x.value));
}
/// Radians, in (-pi, pi]; no derivative exists at (0, 0).
template <size_t N, typename S>
Dual<N, S> atan2(const Dual<N, S>& y, const Dual<N, S>& x) {
    using std::atan2;
    const S inverse = S(1.0) / (x.value * x.value + y.value * y.value);
    return chained<N, S>(y, x, atan2(y.value, x.value), x.value * inverse, -y.value * inverse);
}
/// The derivative at 0 is 0.
template <size_t N, typename S>
Dual<N, S> abs(const Dual<N, S>& x) {
    const double value = value_of(x);
    return value > 0 ? x : value < 0 ? -x : Dual<N, S>(0.0);
}

}  // namespace helioray
