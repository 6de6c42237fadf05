// SPDX-License-Identifier: MIT
// Converts coordinates on the WGS84 ellipsoid.
#include "scenario/files/units.h"
#include "scenario/import/paint/paint.h"

#include <cmath>

namespace helioray {

namespace {

constexpr double kSemiMajorAxis = 6378137.0;       // metres
constexpr double kSemiMinorAxis = 6356752.314245;  // metres
constexpr double kEccentricity2 =
    (kSemiMajorAxis * kSemiMajorAxis - kSemiMinorAxis * kSemiMinorAxis) /
    (kSemiMajorAxis * kSemiMajorAxis);

double radians(double degrees) {
    return degrees * kRadiansPerDegree;
}

// Returns the radius of curvature perpendicular to the meridian.
double prime_vertical_radius(double latitude) {
    const double sine = std::sin(latitude);
    return kSemiMajorAxis / std::sqrt(1.0 - kEccentricity2 * sine * sine);
}

// Returns the radius of curvature along the meridian.
double meridional_radius(double latitude) {
    const double sine = std::sin(latitude);
    return kSemiMajorAxis * (1.0 - kEccentricity2) /
           std::pow(1.0 - kEccentricity2 * sine * sine, 1.5);
}

// Returns Earth-centred, Earth-fixed coordinates.
Vec3 earth_centred(const GeodeticPosition& point) {
    const double latitude = radians(point.latitude_deg);
    const double longitude = radians(point.longitude_deg);
    const double radius = prime_vertical_radius(latitude);
    const double from_axis = (radius + point.altitude_m) * std::cos(latitude);
    return {from_axis * std::cos(longitude),
            from_axis * std::sin(longitude),
            (radius * (1.0 - kEccentricity2) + point.altitude_m) * std::sin(latitude)};
}

}  // namespace

Vec3 wgs84_to_enu_linear(const GeodeticPosition& point, const GeodeticPosition& origin) {
    const double latitude = radians(point.latitude_deg);
    return {(radians(point.longitude_deg) - radians(origin.longitude_deg)) *
                prime_vertical_radius(latitude) * std::cos(latitude),
            (latitude - radians(origin.latitude_deg)) * meridional_radius(latitude),
            point.altitude_m - origin.altitude_m};
}

Vec3 wgs84_to_enu_exact(const GeodeticPosition& point, const GeodeticPosition& origin) {
    const Vec3 p = earth_centred(point);
    const Vec3 o = earth_centred(origin);
    const Vec3 d{p[0] - o[0], p[1] - o[1], p[2] - o[2]};
    const double latitude = radians(origin.latitude_deg);
    const double longitude = radians(origin.longitude_deg);
    const double outward = std::cos(longitude) * d[0] + std::sin(longitude) * d[1];
    return {std::cos(longitude) * d[1] - std::sin(longitude) * d[0],
            std::cos(latitude) * d[2] - std::sin(latitude) * outward,
            std::cos(latitude) * outward + std::sin(latitude) * d[2]};
}

}  // namespace helioray
