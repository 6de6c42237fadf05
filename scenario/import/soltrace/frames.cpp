// SPDX-License-Identifier: MIT
// Rotations of SolTrace.
#include "scenario/files/units.h"
#include "scenario/import/soltrace/stinput.h"
#include "scenario/types/vector_math.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace helioray::soltrace {

Vec3 Frame::direction(const Vec3& v) const {
    return add(add(scaled(v[0], axes[0]), scaled(v[1], axes[1])), scaled(v[2], axes[2]));
}

Vec3 Frame::point(const Vec3& p) const {
    return add(origin, direction(p));
}

Frame Frame::compose(const Frame& inner) const {
    return {point(inner.origin),
            {direction(inner.axes[0]), direction(inner.axes[1]), direction(inner.axes[2])}};
}

Frame make_frame(const Vec3& origin, const Vec3& aim, double z_rotation) {
    const Vec3 to_aim = subtract(aim, origin);
    const double distance = norm(to_aim);
    double alpha = 0.0, beta = 0.0, gamma = 0.0;
    if (distance > 0.0) {
        alpha = std::atan2(to_aim[0], to_aim[2]);
        beta = std::asin(std::clamp(to_aim[1] / distance, -1.0, 1.0));
        gamma = z_rotation * kRadiansPerDegree;
    }
    const double ca = std::cos(alpha), sa = std::sin(alpha);
    const double cb = std::cos(beta), sb = std::sin(beta);
    const double cg = std::cos(gamma), sg = std::sin(gamma);
    return {origin,
            {{{ca * cg + sa * sb * sg, -cb * sg, -sa * cg + ca * sb * sg},
              {ca * sg - sa * sb * cg, cb * cg, -sa * sg - ca * sb * cg},
              {sa * cb, sb, ca * cb}}}};
}

Frame world_frame(UpAxis up) {
    if (up == UpAxis::z) return {};
    return {{}, {{{-1, 0, 0}, {0, 0, 1}, {0, 1, 0}}}};
}

Vec3 sun_direction(const SunBlock& sun) {
    if (!sun.from_time) return normalized(sun.position);
    const double declination =
        std::asin(0.39795 * std::cos(0.98563 * kRadiansPerDegree * (sun.day - 173.0)));
    const double hour_angle = 15.0 * (sun.hour - 12.0) * kRadiansPerDegree;
    const double latitude = sun.latitude * kRadiansPerDegree;
    const double elevation =
        std::asin(std::sin(declination) * std::sin(latitude) +
                  std::cos(declination) * std::cos(hour_angle) * std::cos(latitude));
    const double cos_azimuth = (std::sin(declination) * std::cos(latitude) -
                                std::cos(declination) * std::sin(latitude) * std::cos(hour_angle)) /
                               std::cos(elevation);
    double azimuth = std::acos(std::clamp(cos_azimuth, -1.0, 1.0));
    if (std::sin(hour_angle) > 0.0) azimuth = 2.0 * std::numbers::pi - azimuth;
    return {-std::sin(azimuth) * std::cos(elevation),
            std::sin(elevation),
            std::cos(azimuth) * std::cos(elevation)};
}

Vec3 front_normal(const Frame& frame) {
    constexpr double kVertical = 1e-9;  // tilt of a normal that counts as vertical, radians
    const Vec3& normal = frame.axes[2];
    if (std::hypot(normal[0], normal[1]) > kVertical) return normal;
    return {0.0, 0.0, normal[2] < 0.0 ? -1.0 : 1.0};
}

MirrorAngles mirror_angles(const Frame& mirror) {
    const Vec3& normal = mirror.axes[2];
    MirrorAngles angles;
    angles.elevation = std::atan2(normal[2], std::hypot(normal[0], normal[1]));
    // A mirror that faces straight up has any azimuth; pi is that of its kinematics.
    angles.azimuth = std::hypot(normal[0], normal[1]) < 1e-12 ? std::numbers::pi
                                                              : std::atan2(normal[0], normal[1]);
    if (angles.azimuth < 0.0) angles.azimuth += 2.0 * std::numbers::pi;
    const Vec3 e{-std::cos(angles.azimuth), std::sin(angles.azimuth), 0.0};
    const Vec3 n = cross(normal, e);
    angles.roll = std::atan2(dot(mirror.axes[0], n), dot(mirror.axes[0], e));
    return angles;
}

}  // namespace helioray::soltrace
