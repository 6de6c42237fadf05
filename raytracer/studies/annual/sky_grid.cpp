// SPDX-License-Identifier: MIT
// Chebyshev points on the part of the sky that the sun reaches.
#include "raytracer/studies/annual/sky_grid.h"

#include "scenario/files/error.h"
#include "scenario/files/units.h"
#include "scenario/sun/solar_position.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

namespace helioray {

namespace {

constexpr double kPi = std::numbers::pi;
// Obliquity of the ecliptic in this century, with a margin for nutation.
constexpr double kObliquity = 23.44 * kRadiansPerDegree;

/// Returns the cosine of the hour angle at which the sun passes an elevation.
double cosine_of_passage(double latitude, double declination, double elevation) {
    return (std::sin(elevation) - std::sin(latitude) * std::sin(declination)) /
           (std::cos(latitude) * std::cos(declination));
}

/// Returns the hour angle at which the sun passes an elevation; pi if it stays above it, 0 if
/// below.
double hour_angle_of_passage(double latitude, double declination, double elevation) {
    return std::acos(std::clamp(cosine_of_passage(latitude, declination, elevation), -1.0, 1.0));
}

double chebyshev_point(int i, int count) {
    return std::cos(kPi * i / (count - 1));
}

/// Returns the values at `at` of the Lagrange polynomials of every stride-th of `count` points; 0
/// for the others.
std::vector<double> lagrange(int count, int stride, double at) {
    std::vector<double> values(static_cast<size_t>(count), 0.0);
    double sum = 0.0;
    double sign = 1.0;
    for (int i = 0; i < count; i += stride) {
        const double distance = at - chebyshev_point(i, count);
        if (distance == 0.0) {
            std::fill(values.begin(), values.end(), 0.0);
            values[static_cast<size_t>(i)] = 1.0;
            return values;
        }
        const double end = i == 0 || i == count - 1 ? 0.5 : 1.0;
        values[static_cast<size_t>(i)] = end * sign / distance;
        sum += values[static_cast<size_t>(i)];
        sign = -sign;
    }
    for (double& value : values) value /= sum;
    return values;
}

void check_count(const char* name, int count) {
    if (count >= 3 && count % 2 == 1) return;
    throw InputError(Problem{name,
                             fmt::format("{} is not an odd number from 3 on", count),
                             "every second point is a rule of its own, which gives the error of "
                             "the integral",
                             "use 9, for example"});
}

}  // namespace

SkyGrid::SkyGrid(double latitude, double min_elevation, int declinations, int hours)
    : latitude_(latitude),
      min_elevation_(min_elevation),
      declinations_(declinations),
      hours_(hours) {
    check_count("declinations", declinations);
    check_count("hours", hours);
    // At noon the elevation of the sun is 90 degrees - |latitude - declination|.
    const double reach = 0.5 * kPi - min_elevation;
    lowest_ = std::max(-kObliquity, latitude - reach);
    highest_ = std::min(kObliquity, latitude + reach);
    constexpr double kNearestToPole = 89.0 * kRadiansPerDegree;
    constexpr double kNarrowest = 0.5 * kRadiansPerDegree;
    if (std::abs(latitude) > kNearestToPole || highest_ - lowest_ < kNarrowest) {
        throw InputError(Problem{
            "minimal elevation",
            fmt::format("the sun hardly rises to {:.1f} degrees on any day",
                        min_elevation / kRadiansPerDegree),
            fmt::format("the plant is at {:.2f} degrees of latitude", latitude / kRadiansPerDegree),
            "give a lower elevation, or trace a series of times"});
    }
    for (int i = 0; i < declinations; ++i) {
        const double declination = declination_at(chebyshev_point(i, declinations));
        const double passage = hour_angle_of_passage(latitude, declination, min_elevation);
        for (int j = 0; j < hours; ++j)
            nodes_.push_back(
                sun_at_hour_angle(latitude, declination, passage * chebyshev_point(j, hours)));
    }
}

SkyGrid::Node sun_at_hour_angle(double latitude, double declination, double hour_angle) {
    const double north = std::cos(latitude) * std::sin(declination) -
                         std::sin(latitude) * std::cos(declination) * std::cos(hour_angle);
    const double east = -std::cos(declination) * std::sin(hour_angle);
    const double up = std::sin(latitude) * std::sin(declination) +
                      std::cos(latitude) * std::cos(declination) * std::cos(hour_angle);
    return {declination, hour_angle, std::atan2(east, north), std::asin(std::clamp(up, -1.0, 1.0))};
}

bool SkyGrid::is_all_year() const {
    return highest_ - lowest_ == 2.0 * kObliquity;
}

double SkyGrid::declination_at(double u) const {
    const double low = std::sin(lowest_), high = std::sin(highest_);
    return std::asin(0.5 * (low + high) + 0.5 * (high - low) * u);
}

bool SkyGrid::covers(const Vec3& s) const {
    constexpr double kMargin = 0.5 * kRadiansPerDegree;
    const double sine = s[1] * std::cos(latitude_) + s[2] * std::sin(latitude_);
    const double declination = std::asin(std::clamp(sine, -1.0, 1.0));
    const double elevation = std::asin(std::clamp(s[2], -1.0, 1.0));
    return std::abs(declination) <= kObliquity + kMargin && elevation >= min_elevation_ - kMargin;
}

void SkyGrid::distribute(const Vec3& s,
                         double amount,
                         Rule rule,
                         std::vector<double>& weights) const {
    const double sine = s[1] * std::cos(latitude_) + s[2] * std::sin(latitude_);
    const double meridian = s[2] * std::cos(latitude_) - s[1] * std::sin(latitude_);
    // Refraction and nutation may raise the sun slightly beyond the solstices.
    const double declination =
        std::clamp(std::asin(std::clamp(sine, -1.0, 1.0)), lowest_, highest_);
    const double passage = hour_angle_of_passage(latitude_, declination, min_elevation_);
    const double low = std::sin(lowest_), high = std::sin(highest_);
    const double u =
        std::clamp((std::sin(declination) - 0.5 * (low + high)) / (0.5 * (high - low)), -1.0, 1.0);
    // On the first and last day of the season the sun reaches that elevation only at noon.
    const double x =
        passage > 0.0 ? std::clamp(std::atan2(-s[0], meridian) / passage, -1.0, 1.0) : 0.0;
    const std::vector<double> by_declination =
        lagrange(declinations_, rule == Rule::half_declinations ? 2 : 1, u);
    const std::vector<double> by_hour = lagrange(hours_, rule == Rule::half_hours ? 2 : 1, x);
    for (size_t i = 0; i < by_declination.size(); ++i) {
        for (size_t j = 0; j < by_hour.size(); ++j)
            weights[i * by_hour.size() + j] += amount * by_declination[i] * by_hour[j];
    }
}

}  // namespace helioray
