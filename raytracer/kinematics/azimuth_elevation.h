// SPDX-License-Identifier: MIT
// Kinematics "azimuth_elevation": axis 1 is the azimuth, axis 2 the elevation of the normal; the
// pivot is the position. T is double or a Dual.
#pragma once

#include "raytracer/kinematics/record.h"
#include "raytracer/kinematics/transforms.h"

#include <numbers>

namespace helioray {

/// Mirror frame to ENU for joint angles: azimuth a (clockwise from north) and elevation h of the
/// normal, radians.
///
/// Axes in ENU: e = (-cos a, sin a, 0), n = normal x e, normal = (cos h sin a, cos h cos a, sin h).
/// The concentrator translation moves the mirror along these axes; joint translations and tilts do
/// not exist here.
template <typename T>
Frame<T> azimuth_elevation_orientation(const BasicRecord<T>& record,
                                       const std::array<T, 2>& joint_angles) {
    const Turn<T> azimuth(joint_angles[0]), elevation(joint_angles[1]);
    const T &ca = azimuth.cosine, &sa = azimuth.sine;
    const T &ch = elevation.cosine, &sh = elevation.sine;
    Frame<T> mirror{
        {-ca, sa, T(0.0)}, {-sh * sa, -sh * ca, ch}, {ch * sa, ch * ca, sh}, record.position};
    mirror.move(&record.translations[6]);
    return mirror;
}

/// Joint angles of a normal (unit, ENU): azimuth in [0, 2 pi), elevation in [-pi/2, pi/2]. A normal
/// that points straight up has azimuth pi, and no derivative by its horizontal part.
template <typename T>
std::array<T, 2> azimuth_elevation_joint_angles(const Triple<T>& normal) {
    using std::atan2, std::sqrt;
    const auto& [e, n, u] = normal;
    const T signed_azimuth = angle_of(e, n, /*undefined=*/std::numbers::pi);
    const T azimuth =
        value_of(signed_azimuth) < 0 ? signed_azimuth + 2.0 * std::numbers::pi : signed_azimuth;
    const T square = e * e + n * n;
    const T horizontal = value_of(square) > 1e-30 ? sqrt(square) : T(0.0);
    return {azimuth, atan2(u, horizontal)};
}

}  // namespace helioray
