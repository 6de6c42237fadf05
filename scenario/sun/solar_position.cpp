// SPDX-License-Identifier: MIT
// The topocentric half of the NREL solar position algorithm: from the ecliptic to azimuth and
// elevation.
#include "scenario/sun/solar_position.h"

#include "scenario/sun/earth_ephemeris.h"

#include <cmath>
#include <numbers>

namespace helioray {

namespace {

constexpr double kDegree = std::numbers::pi / 180.0;
constexpr double kTurn = 2.0 * std::numbers::pi;

/// Apparent position of the sun's centre on the sky of the Earth's centre.
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
    const Nutation nod = nutation(ephemeris_day);
    const double obliquity = true_obliquity(ephemeris_day, nod);

    // The sun is opposite to the Earth, shifted by nutation and aberration.
    const double aberration = -20.4898 / 3600.0 * kDegree / earth.radius;
    const double longitude = earth.longitude + std::numbers::pi + nod.longitude + aberration;
    const double latitude = -earth.latitude;

    // From the ecliptic to the equator.
    const double right_ascension = std::atan2(
        std::sin(longitude) * std::cos(obliquity) - std::tan(latitude) * std::sin(obliquity),
        std::cos(longitude));
    const double declination =
        std::asin(std::sin(latitude) * std::cos(obliquity) +
                  std::cos(latitude) * std::sin(obliquity) * std::sin(longitude));

    // The Earth's rotation.
    const double days = julian_day - 2451545.0;
    const double t = days / 36525.0;
    const double mean_sidereal_deg =
        280.46061837 + 360.98564736629 * days + t * t * (0.000387933 - t / 38710000.0);
    const double sidereal = wrap(mean_sidereal_deg * kDegree) + nod.longitude * std::cos(obliquity);
    return {right_ascension, declination, sidereal, earth.radius};
}

/// How much the air lifts the sun; radians (section 3.14.2 of the report).
double refraction(double elevation, const Atmosphere& air) {
    const double elevation_deg = elevation / kDegree;
    const double lowest_deg =
        -(0.26667 + 0.5667);  // the disc's radius and the refraction at the horizon
    if (elevation_deg < lowest_deg) return 0.0;
    const double argument = (elevation_deg + 10.3 / (elevation_deg + 5.11)) * kDegree;
    const double density = air.pressure / 101000.0 * 283.0 / air.temperature;
    return density * 1.02 / (60.0 * std::tan(argument)) * kDegree;
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
    const double latitude = plant.latitude_deg * kDegree;
    const double hour_angle =
        sun.sidereal_time + plant.longitude_deg * kDegree - sun.right_ascension;

    // Parallax: from the Earth's centre to the plant on the ellipsoid.
    const double flattening = 0.99664719;
    const double height = plant.altitude_m / 6378140.0;
    const double reduced = std::atan(flattening * std::tan(latitude));
    const double x = std::cos(reduced) + height * std::cos(latitude);
    const double y = flattening * std::sin(reduced) + height * std::sin(latitude);
    const double sin_parallax = std::sin(8.794 / 3600.0 * kDegree / sun.radius);
    const double along = std::cos(sun.declination) - x * sin_parallax * std::cos(hour_angle);
    const double shift = std::atan2(-x * sin_parallax * std::sin(hour_angle), along);
    const double declination =
        std::atan2((std::sin(sun.declination) - y * sin_parallax) * std::cos(shift), along);
    const double local_hour_angle = hour_angle - shift;

    // From the equator to the horizon.
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

Vec3 direction_to_sun(const SolarPosition& position) {
    const double horizontal = std::cos(position.elevation);
    return {horizontal * std::sin(position.azimuth),
            horizontal * std::cos(position.azimuth),
            std::sin(position.elevation)};
}

}  // namespace helioray
