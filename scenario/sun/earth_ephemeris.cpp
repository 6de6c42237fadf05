// SPDX-License-Identifier: MIT
// Sums of the periodic terms of the Earth's orbit and nutation.
#include "scenario/sun/earth_ephemeris.h"

#include "scenario/sun/spa_terms.h"

#include <array>
#include <cmath>
#include <cstddef>
#include <numbers>

namespace helioray {

namespace {

constexpr double kDegree = std::numbers::pi / 180.0;
constexpr double kArcSecond = kDegree / 3600.0;

double centuries(double julian_ephemeris_day) {
    return (julian_ephemeris_day - 2451545.0) / 36525.0;
}

template <size_t size>
double sum(const std::array<spa::PeriodicTerm, size>& terms, double millennia) {
    double total = 0.0;
    for (const spa::PeriodicTerm& term : terms)
        total += term.amplitude * std::cos(term.phase + term.frequency * millennia);
    return total;
}

/// Polynomial with the coefficients from the constant upwards.
template <size_t size>
double polynomial(double t, const std::array<double, size>& coefficients) {
    double value = 0.0;
    for (size_t i = size; i-- > 0;) value = value * t + coefficients[i];
    return value;
}

/// Series whose coefficients are sums of periodic terms, in units of 1e-8.
template <class... Tables>
double series(double millennia, const Tables&... tables) {
    const std::array<double, sizeof...(Tables)> coefficients{sum(tables, millennia)...};
    return 1e-8 * polynomial(millennia, coefficients);
}

}  // namespace

HeliocentricPosition heliocentric_position(double julian_ephemeris_day) {
    using namespace spa;
    const double t = centuries(julian_ephemeris_day) / 10.0;
    const double turn = 2.0 * std::numbers::pi;
    const double longitude = series(t, kL0, kL1, kL2, kL3, kL4, kL5);
    return {longitude - turn * std::floor(longitude / turn),
            series(t, kB0, kB1),
            series(t, kR0, kR1, kR2, kR3, kR4)};
}

Nutation nutation(double julian_ephemeris_day) {
    const double t = centuries(julian_ephemeris_day);

    // Elongation of the moon, anomalies of sun and moon, argument of latitude and node of the moon;
    // degrees.
    using Cubic = std::array<double, 4>;
    const std::array<double, 5> arguments{
        polynomial(t, Cubic{297.85036, 445267.111480, -0.0019142, 1.0 / 189474.0}),
        polynomial(t, Cubic{357.52772, 35999.050340, -0.0001603, -1.0 / 300000.0}),
        polynomial(t, Cubic{134.96298, 477198.867398, 0.0086972, 1.0 / 56250.0}),
        polynomial(t, Cubic{93.27191, 483202.017538, -0.0036825, 1.0 / 327270.0}),
        polynomial(t, Cubic{125.04452, -1934.136261, 0.0020708, 1.0 / 450000.0})};

    Nutation total;
    for (const spa::NutationTerm& term : spa::kNutation) {
        double angle = 0.0;
        for (size_t i = 0; i < arguments.size(); ++i) angle += term.multiple[i] * arguments[i];
        total.longitude += (term.psi[0] + term.psi[1] * t) * std::sin(angle * kDegree);
        total.obliquity += (term.epsilon[0] + term.epsilon[1] * t) * std::cos(angle * kDegree);
    }
    return {total.longitude * 1e-4 * kArcSecond, total.obliquity * 1e-4 * kArcSecond};
}

double true_obliquity(double julian_ephemeris_day, const Nutation& nutation) {
    const double u = centuries(julian_ephemeris_day) / 100.0;
    const std::array<double, 11> mean{
        84381.448, -4680.93, -1.55, 1999.25, -51.38, -249.67, -39.05, 7.12, 27.87, 5.79, 2.45};
    return polynomial(u, mean) * kArcSecond + nutation.obliquity;
}

}  // namespace helioray
