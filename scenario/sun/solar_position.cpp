// SPDX-License-Identifier: MIT
// The NREL solar position algorithm: periodic terms, the Earth on its orbit, the sun over a plant.
//
// The numbers are those of the tables A4.2 and A4.3 of I. Reda and A. Andreas, Solar Position
// Algorithm for Solar Radiation Applications, NREL/TP-560-34302 (2008).
#include "scenario/sun/solar_position.h"

#include "scenario/files/units.h"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <cstddef>
#include <numbers>

namespace helioray::spa {

/// Periodic term amplitude * cos(phase + frequency * t), t in Julian ephemeris millennia since
/// J2000; amplitude in 1e-8 rad (longitude L, latitude B) or 1e-8 astronomical units (radius R).
struct PeriodicTerm {
    double amplitude;
    double phase;      ///< radians
    double frequency;  ///< radians per millennium
};

constexpr std::array<PeriodicTerm, 64> kL0{
    {{175347046, 0, 0},           {3341656, 4.6692568, 6283.07585},
     {34894, 4.6261, 12566.1517}, {3497, 2.7441, 5753.3849},
     {3418, 2.8289, 3.5231},      {3136, 3.6277, 77713.7715},
     {2676, 4.4181, 7860.4194},   {2343, 6.1352, 3930.2097},
     {1324, 0.7425, 11506.7698},  {1273, 2.0371, 529.691},
     {1199, 1.1096, 1577.3435},   {990, 5.233, 5884.927},
     {902, 2.045, 26.298},        {857, 3.508, 398.149},
     {780, 1.179, 5223.694},      {753, 2.533, 5507.553},
     {505, 4.583, 18849.228},     {492, 4.205, 775.523},
     {357, 2.92, 0.067},          {317, 5.849, 11790.629},
     {284, 1.899, 796.298},       {271, 0.315, 10977.079},
     {243, 0.345, 5486.778},      {206, 4.806, 2544.314},
     {205, 1.869, 5573.143},      {202, 2.458, 6069.777},
     {156, 0.833, 213.299},       {132, 3.411, 2942.463},
     {126, 1.083, 20.775},        {115, 0.645, 0.98},
     {103, 0.636, 4694.003},      {102, 0.976, 15720.839},
     {102, 4.267, 7.114},         {99, 6.21, 2146.17},
     {98, 0.68, 155.42},          {86, 5.98, 161000.69},
     {85, 1.3, 6275.96},          {85, 3.67, 71430.7},
     {80, 1.81, 17260.15},        {79, 3.04, 12036.46},
     {75, 1.76, 5088.63},         {74, 3.5, 3154.69},
     {74, 4.68, 801.82},          {70, 0.83, 9437.76},
     {62, 3.98, 8827.39},         {61, 1.82, 7084.9},
     {57, 2.78, 6286.6},          {56, 4.39, 14143.5},
     {56, 3.47, 6279.55},         {52, 0.19, 12139.55},
     {52, 1.33, 1748.02},         {51, 0.28, 5856.48},
     {49, 0.49, 1194.45},         {41, 5.37, 8429.24},
     {41, 2.4, 19651.05},         {39, 6.17, 10447.39},
     {37, 6.04, 10213.29},        {37, 2.57, 1059.38},
     {36, 1.71, 2352.87},         {36, 1.78, 6812.77},
     {33, 0.59, 17789.85},        {30, 0.44, 83996.85},
     {30, 2.74, 1349.87},         {25, 3.16, 4690.48}}};

constexpr std::array<PeriodicTerm, 34> kL1{
    {{628331966747, 0, 0},       {206059, 2.678235, 6283.07585},
     {4303, 2.6351, 12566.1517}, {425, 1.59, 3.523},
     {119, 5.796, 26.298},       {109, 2.966, 1577.344},
     {93, 2.59, 18849.23},       {72, 1.14, 529.69},
     {68, 1.87, 398.15},         {67, 4.41, 5507.55},
     {59, 2.89, 5223.69},        {56, 2.17, 155.42},
     {45, 0.4, 796.3},           {36, 0.47, 775.52},
     {29, 2.65, 7.11},           {21, 5.34, 0.98},
     {19, 1.85, 5486.78},        {19, 4.97, 213.3},
     {17, 2.99, 6275.96},        {16, 0.03, 2544.31},
     {16, 1.43, 2146.17},        {15, 1.21, 10977.08},
     {12, 2.83, 1748.02},        {12, 3.26, 5088.63},
     {12, 5.27, 1194.45},        {12, 2.08, 4694},
     {11, 0.77, 553.57},         {10, 1.3, 6286.6},
     {10, 4.24, 1349.87},        {9, 2.7, 242.73},
     {9, 5.64, 951.72},          {8, 5.3, 2352.87},
     {6, 2.65, 9437.76},         {6, 4.67, 4690.48}}};

constexpr std::array<PeriodicTerm, 20> kL2{
    {{52919, 0, 0},     {8720, 1.0721, 6283.0758}, {309, 0.867, 12566.152}, {27, 0.05, 3.52},
     {16, 5.19, 26.3},  {16, 3.68, 155.42},        {10, 0.76, 18849.23},    {9, 2.06, 77713.77},
     {7, 0.83, 775.52}, {5, 4.66, 1577.34},        {4, 1.03, 7.11},         {4, 3.44, 5573.14},
     {3, 5.14, 796.3},  {3, 6.05, 5507.55},        {3, 1.19, 242.73},       {3, 6.12, 529.69},
     {3, 0.31, 398.15}, {3, 2.28, 553.57},         {2, 4.38, 5223.69},      {2, 3.75, 0.98}}};

constexpr std::array<PeriodicTerm, 7> kL3{{{289, 5.844, 6283.076},
                                           {35, 0, 0},
                                           {17, 5.49, 12566.15},
                                           {3, 5.2, 155.42},
                                           {1, 4.72, 3.52},
                                           {1, 5.3, 18849.23},
                                           {1, 5.97, 242.73}}};

constexpr std::array<PeriodicTerm, 3> kL4{
    {{114, 3.142, 0}, {8, 4.13, 6283.08}, {1, 3.84, 12566.15}}};

constexpr std::array<PeriodicTerm, 1> kL5{{{1, 3.14, 0}}};

constexpr std::array<PeriodicTerm, 5> kB0{{{280, 3.199, 84334.662},
                                           {102, 5.422, 5507.553},
                                           {80, 3.88, 5223.69},
                                           {44, 3.7, 2352.87},
                                           {32, 4, 1577.34}}};

constexpr std::array<PeriodicTerm, 2> kB1{{{9, 3.9, 5507.55}, {6, 1.73, 5223.69}}};

constexpr std::array<PeriodicTerm, 40> kR0{{{100013989, 0, 0},
                                            {1670700, 3.0984635, 6283.07585},
                                            {13956, 3.05525, 12566.1517},
                                            {3084, 5.1985, 77713.7715},
                                            {1628, 1.1739, 5753.3849},
                                            {1576, 2.8469, 7860.4194},
                                            {925, 5.453, 11506.77},
                                            {542, 4.564, 3930.21},
                                            {472, 3.661, 5884.927},
                                            {346, 0.964, 5507.553},
                                            {329, 5.9, 5223.694},
                                            {307, 0.299, 5573.143},
                                            {243, 4.273, 11790.629},
                                            {212, 5.847, 1577.344},
                                            {186, 5.022, 10977.079},
                                            {175, 3.012, 18849.228},
                                            {110, 5.055, 5486.778},
                                            {98, 0.89, 6069.78},
                                            {86, 5.69, 15720.84},
                                            {86, 1.27, 161000.69},
                                            {65, 0.27, 17260.15},
                                            {63, 0.92, 529.69},
                                            {57, 2.01, 83996.85},
                                            {56, 5.24, 71430.7},
                                            {49, 3.25, 2544.31},
                                            {47, 2.58, 775.52},
                                            {45, 5.54, 9437.76},
                                            {43, 6.01, 6275.96},
                                            {39, 5.36, 4694},
                                            {38, 2.39, 8827.39},
                                            {37, 0.83, 19651.05},
                                            {37, 4.9, 12139.55},
                                            {36, 1.67, 12036.46},
                                            {35, 1.84, 2942.46},
                                            {33, 0.24, 7084.9},
                                            {32, 0.18, 5088.63},
                                            {32, 1.78, 398.15},
                                            {28, 1.21, 6286.6},
                                            {28, 1.9, 6279.55},
                                            {26, 4.59, 10447.39}}};

constexpr std::array<PeriodicTerm, 10> kR1{{{103019, 1.10749, 6283.07585},
                                            {1721, 1.0644, 12566.1517},
                                            {702, 3.142, 0},
                                            {32, 1.02, 18849.23},
                                            {31, 2.84, 5507.55},
                                            {25, 1.32, 5223.69},
                                            {18, 1.42, 1577.34},
                                            {10, 5.91, 10977.08},
                                            {9, 1.42, 6275.96},
                                            {9, 0.27, 5486.78}}};

constexpr std::array<PeriodicTerm, 6> kR2{{{4359, 5.7846, 6283.0758},
                                           {124, 5.579, 12566.152},
                                           {12, 3.14, 0},
                                           {9, 3.63, 77713.77},
                                           {6, 1.87, 5573.14},
                                           {3, 5.47, 18849.23}}};

constexpr std::array<PeriodicTerm, 2> kR3{{{145, 4.273, 6283.076}, {7, 3.92, 12566.15}}};

constexpr std::array<PeriodicTerm, 1> kR4{{{4, 2.56, 6283.08}}};

/// Term of the nutation: (psi[0] + psi[1] T) sin(a) in longitude, (epsilon[0] + epsilon[1] T)
/// cos(a) in obliquity, a = sum of multiple * argument, T in Julian ephemeris centuries, amplitudes
/// in 1e-4 arc seconds.
struct NutationTerm {
    /// Multiples of the mean elongation of the moon, the mean anomalies of sun and moon, the moon's
    /// argument of latitude and the longitude of its ascending node.
    std::array<int, 5> multiple;
    std::array<double, 2> psi;
    std::array<double, 2> epsilon;
};

constexpr std::array<NutationTerm, 63> kNutation{
    {{{0, 0, 0, 0, 1}, {-171996, -174.2}, {92025, 8.9}},
     {{-2, 0, 0, 2, 2}, {-13187, -1.6}, {5736, -3.1}},
     {{0, 0, 0, 2, 2}, {-2274, -0.2}, {977, -0.5}},
     {{0, 0, 0, 0, 2}, {2062, 0.2}, {-895, 0.5}},
     {{0, 1, 0, 0, 0}, {1426, -3.4}, {54, -0.1}},
     {{0, 0, 1, 0, 0}, {712, 0.1}, {-7, 0}},
     {{-2, 1, 0, 2, 2}, {-517, 1.2}, {224, -0.6}},
     {{0, 0, 0, 2, 1}, {-386, -0.4}, {200, 0}},
     {{0, 0, 1, 2, 2}, {-301, 0}, {129, -0.1}},
     {{-2, -1, 0, 2, 2}, {217, -0.5}, {-95, 0.3}},
     {{-2, 0, 1, 0, 0}, {-158, 0}, {0, 0}},
     {{-2, 0, 0, 2, 1}, {129, 0.1}, {-70, 0}},
     {{0, 0, -1, 2, 2}, {123, 0}, {-53, 0}},
     {{2, 0, 0, 0, 0}, {63, 0}, {0, 0}},
     {{0, 0, 1, 0, 1}, {63, 0.1}, {-33, 0}},
     {{2, 0, -1, 2, 2}, {-59, 0}, {26, 0}},
     {{0, 0, -1, 0, 1}, {-58, -0.1}, {32, 0}},
     {{0, 0, 1, 2, 1}, {-51, 0}, {27, 0}},
     {{-2, 0, 2, 0, 0}, {48, 0}, {0, 0}},
     {{0, 0, -2, 2, 1}, {46, 0}, {-24, 0}},
     {{2, 0, 0, 2, 2}, {-38, 0}, {16, 0}},
     {{0, 0, 2, 2, 2}, {-31, 0}, {13, 0}},
     {{0, 0, 2, 0, 0}, {29, 0}, {0, 0}},
     {{-2, 0, 1, 2, 2}, {29, 0}, {-12, 0}},
     {{0, 0, 0, 2, 0}, {26, 0}, {0, 0}},
     {{-2, 0, 0, 2, 0}, {-22, 0}, {0, 0}},
     {{0, 0, -1, 2, 1}, {21, 0}, {-10, 0}},
     {{0, 2, 0, 0, 0}, {17, -0.1}, {0, 0}},
     {{2, 0, -1, 0, 1}, {16, 0}, {-8, 0}},
     {{-2, 2, 0, 2, 2}, {-16, 0.1}, {7, 0}},
     {{0, 1, 0, 0, 1}, {-15, 0}, {9, 0}},
     {{-2, 0, 1, 0, 1}, {-13, 0}, {7, 0}},
     {{0, -1, 0, 0, 1}, {-12, 0}, {6, 0}},
     {{0, 0, 2, -2, 0}, {11, 0}, {0, 0}},
     {{2, 0, -1, 2, 1}, {-10, 0}, {5, 0}},
     {{2, 0, 1, 2, 2}, {-8, 0}, {3, 0}},
     {{0, 1, 0, 2, 2}, {7, 0}, {-3, 0}},
     {{-2, 1, 1, 0, 0}, {-7, 0}, {0, 0}},
     {{0, -1, 0, 2, 2}, {-7, 0}, {3, 0}},
     {{2, 0, 0, 2, 1}, {-7, 0}, {3, 0}},
     {{2, 0, 1, 0, 0}, {6, 0}, {0, 0}},
     {{-2, 0, 2, 2, 2}, {6, 0}, {-3, 0}},
     {{-2, 0, 1, 2, 1}, {6, 0}, {-3, 0}},
     {{2, 0, -2, 0, 1}, {-6, 0}, {3, 0}},
     {{2, 0, 0, 0, 1}, {-6, 0}, {3, 0}},
     {{0, -1, 1, 0, 0}, {5, 0}, {0, 0}},
     {{-2, -1, 0, 2, 1}, {-5, 0}, {3, 0}},
     {{-2, 0, 0, 0, 1}, {-5, 0}, {3, 0}},
     {{0, 0, 2, 2, 1}, {-5, 0}, {3, 0}},
     {{-2, 0, 2, 0, 1}, {4, 0}, {0, 0}},
     {{-2, 1, 0, 2, 1}, {4, 0}, {0, 0}},
     {{0, 0, 1, -2, 0}, {4, 0}, {0, 0}},
     {{-1, 0, 1, 0, 0}, {-4, 0}, {0, 0}},
     {{-2, 1, 0, 0, 0}, {-4, 0}, {0, 0}},
     {{1, 0, 0, 0, 0}, {-4, 0}, {0, 0}},
     {{0, 0, 1, 2, 0}, {3, 0}, {0, 0}},
     {{0, 0, -2, 2, 2}, {-3, 0}, {0, 0}},
     {{-1, -1, 1, 0, 0}, {-3, 0}, {0, 0}},
     {{0, 1, 1, 0, 0}, {-3, 0}, {0, 0}},
     {{0, -1, 1, 2, 2}, {-3, 0}, {0, 0}},
     {{2, -1, -1, 2, 2}, {-3, 0}, {0, 0}},
     {{0, 0, 3, 2, 2}, {-3, 0}, {0, 0}},
     {{2, -1, 0, 2, 2}, {-3, 0}, {0, 0}}}};

}  // namespace helioray::spa

namespace helioray {

namespace {

constexpr double kArcSecond = kRadiansPerDegree / 3600.0;

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

/// Evaluates a polynomial with the coefficients from the constant upwards.
template <size_t size>
double polynomial(double t, const std::array<double, size>& coefficients) {
    double value = 0.0;
    for (size_t i = size; i-- > 0;) value = value * t + coefficients[i];
    return value;
}

/// Evaluates a series whose coefficients are sums of periodic terms, in units of 1e-8.
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

    // The arguments are the elongation of the moon, the anomalies of sun and moon, the argument of
    // latitude and the node of the moon, degrees.
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
        total.longitude += (term.psi[0] + term.psi[1] * t) * std::sin(angle * kRadiansPerDegree);
        total.obliquity +=
            (term.epsilon[0] + term.epsilon[1] * t) * std::cos(angle * kRadiansPerDegree);
    }
    return {total.longitude * 1e-4 * kArcSecond, total.obliquity * 1e-4 * kArcSecond};
}

double true_obliquity(double julian_ephemeris_day, const Nutation& nutation) {
    const double u = centuries(julian_ephemeris_day) / 100.0;
    const std::array<double, 11> mean{
        84381.448, -4680.93, -1.55, 1999.25, -51.38, -249.67, -39.05, 7.12, 27.87, 5.79, 2.45};
    return polynomial(u, mean) * kArcSecond + nutation.obliquity;
}

namespace {

constexpr double kTurn = 2.0 * std::numbers::pi;

/// Apparent geocentric position of the sun's centre.
struct Equatorial {
    double right_ascension;  ///< radians
    double declination;      ///< radians
    double sidereal_time;    ///< radians, apparent, at Greenwich
    double radius;           ///< astronomical units
};

double wrap(double angle) {
    return angle - kTurn * std::floor(angle / kTurn);
}

Equatorial geocentric_sun(double julian_day, double delta_t_s) {
    const double ephemeris_day = julian_day + delta_t_s / 86400.0;
    const HeliocentricPosition earth = heliocentric_position(ephemeris_day);
    const Nutation axis = nutation(ephemeris_day);
    const double obliquity = true_obliquity(ephemeris_day, axis);

    // The sun is opposite to the Earth, shifted by nutation and aberration.
    const double aberration = -20.4898 / 3600.0 * kRadiansPerDegree / earth.radius;
    const double longitude = earth.longitude + std::numbers::pi + axis.longitude + aberration;
    const double latitude = -earth.latitude;

    // Convert from the ecliptic to the equator.
    const double right_ascension = std::atan2(
        std::sin(longitude) * std::cos(obliquity) - std::tan(latitude) * std::sin(obliquity),
        std::cos(longitude));
    const double declination =
        std::asin(std::sin(latitude) * std::cos(obliquity) +
                  std::cos(latitude) * std::sin(obliquity) * std::sin(longitude));

    // Compute the rotation of the Earth.
    const double days = julian_day - 2451545.0;
    const double t = days / 36525.0;
    const double mean_sidereal_deg =
        280.46061837 + 360.98564736629 * days + t * t * (0.000387933 - t / 38710000.0);
    const double sidereal =
        wrap(mean_sidereal_deg * kRadiansPerDegree) + axis.longitude * std::cos(obliquity);
    return {right_ascension, declination, sidereal, earth.radius};
}

/// Returns the refraction by the air, radians (section 3.14.2 of the report).
double refraction(double elevation, const Atmosphere& air) {
    const double elevation_deg = elevation / kRadiansPerDegree;
    const double lowest_deg =
        -(0.26667 + 0.5667);  // radius of the disc and refraction at the horizon
    if (elevation_deg < lowest_deg) return 0.0;
    const double argument = (elevation_deg + 10.3 / (elevation_deg + 5.11)) * kRadiansPerDegree;
    const double density = air.pressure / 101000.0 * 283.0 / air.temperature;
    return density * 1.02 / (60.0 * std::tan(argument)) * kRadiansPerDegree;
}

}  // namespace

Atmosphere standard_atmosphere(double altitude_m) {
    Atmosphere air;
    air.pressure *= std::pow(1.0 - 0.0065 * altitude_m / 288.15, 5.25588);
    return air;
}

SolarPosition solar_position(const UtcTime& time,
                             double delta_t_s,
                             const GeodeticPosition& plant,
                             const std::optional<Atmosphere>& air) {
    const Equatorial sun = geocentric_sun(time.julian_day, delta_t_s);
    const double latitude = plant.latitude_deg * kRadiansPerDegree;
    const double hour_angle =
        sun.sidereal_time + plant.longitude_deg * kRadiansPerDegree - sun.right_ascension;

    // Correct the parallax, from the Earth's centre to the plant on the ellipsoid.
    const double flattening = 0.99664719;
    const double height = plant.altitude_m / 6378140.0;
    const double reduced = std::atan(flattening * std::tan(latitude));
    const double x = std::cos(reduced) + height * std::cos(latitude);
    const double y = flattening * std::sin(reduced) + height * std::sin(latitude);
    const double sin_parallax = std::sin(8.794 / 3600.0 * kRadiansPerDegree / sun.radius);
    const double along = std::cos(sun.declination) - x * sin_parallax * std::cos(hour_angle);
    const double shift = std::atan2(-x * sin_parallax * std::sin(hour_angle), along);
    const double declination =
        std::atan2((std::sin(sun.declination) - y * sin_parallax) * std::cos(shift), along);
    const double local_hour_angle = hour_angle - shift;

    // Convert from the equator to the horizon.
    const double sin_elevation =
        std::sin(latitude) * std::sin(declination) +
        std::cos(latitude) * std::cos(declination) * std::cos(local_hour_angle);
    const double from_south = std::atan2(std::sin(local_hour_angle),
                                         std::cos(local_hour_angle) * std::sin(latitude) -
                                             std::tan(declination) * std::cos(latitude));

    SolarPosition position;
    position.azimuth = wrap(from_south + std::numbers::pi);
    position.geometric_elevation = std::asin(sin_elevation);
    position.elevation = position.geometric_elevation;
    if (air) position.elevation += refraction(position.geometric_elevation, *air);
    return position;
}

SolarPosition solar_position(const std::string& iso8601, const GeodeticPosition& plant) {
    const UtcTime time = parse_iso8601(iso8601);
    return solar_position(
        time, delta_t(time.decimal_year), plant, standard_atmosphere(plant.altitude_m));
}

std::optional<std::string> unlikely_angles(double azimuth_deg, double elevation_deg) {
    constexpr double kTurn = 2.0 * std::numbers::pi;
    const bool is_likely = azimuth_deg <= 0.0 || azimuth_deg > kTurn || elevation_deg <= 0.0 ||
                           elevation_deg > 0.25 * kTurn;
    if (is_likely) return std::nullopt;
    return fmt::format(
        "azimuth {:.6g} and elevation {:.6g} degrees seem to be in radians; if they "
        "are, give {:.6g} and {:.6g}",
        azimuth_deg,
        elevation_deg,
        azimuth_deg / kRadiansPerDegree,
        elevation_deg / kRadiansPerDegree);
}

Vec3 direction_to_sun(const SolarPosition& position) {
    const double horizontal = std::cos(position.elevation);
    return {horizontal * std::sin(position.azimuth),
            horizontal * std::cos(position.azimuth),
            std::sin(position.elevation)};
}

}  // namespace helioray
