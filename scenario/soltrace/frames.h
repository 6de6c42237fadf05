// SPDX-License-Identifier: MIT
// Frames of stages and elements in east-north-up.
#pragma once

#include "scenario/soltrace/stinput.h"

#include <array>

namespace helioray::soltrace {

/// Rigid frame: p_parent = origin + sum p_i axes[i].
struct Frame {
    Vec3 origin{};                                                ///< metres, in the parent frame
    std::array<Vec3, 3> axes{{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};  ///< unit vectors x, y, z

    Vec3 direction(const Vec3& v) const;  ///< a direction of this frame, in the parent
    Vec3 point(const Vec3& p) const;      ///< a point of this frame, in the parent, metres
    /// A frame that is given in this one, in this one's parent.
    Frame of(const Frame& inner) const;
};

/// Frame of an origin, a point on its z axis, and a rotation about it in degrees: Euler angles
/// alpha = atan2(dx, dz), beta = asin(dy) of the unit vector to the point, gamma = rotation, with
/// the matrix of Spencer and Murty, J. Opt. Soc. Am. 52 (1962) 672-678, eq. 2, as in SolTrace's
/// CalculateTransformMatrices. An aim point at the origin gives axes without rotation, as there.
Frame frame_of(const Vec3& origin, const Vec3& aim, double z_rotation);

/// Which axis of a project points up. z: x is east and y is north. y: x is west and z is north, the
/// frame of SolTrace's sun from latitude, day and hour.
enum class UpAxis { y, z };

/// The project's global frame in east-north-up.
Frame world_frame(UpAxis up);

/// Direction to the sun in the project's frame (unit vector): the position as it stands, or from
/// latitude, day of the year and solar hour with SolTrace's formulas (declination 0.39795
/// cos(0.98563 (day - 173)), x west, y up, z north).
Vec3 sun_direction(const SunBlock& sun);

/// How a mirror stands, as azimuth-elevation kinematics see it.
struct MirrorAngles {
    double azimuth = 0.0;    ///< radians, of the normal, clockwise from north, [0, 2 pi)
    double elevation = 0.0;  ///< radians, [-pi/2, pi/2]
    /// Radians, (-pi, pi]: how far its frame is turned about the normal, counter-clockwise seen
    /// from the front, against the mirror frame of these angles.
    double roll = 0.0;
};

/// Angles of a mirror whose frame in east-north-up has its normal along z.
MirrorAngles mirror_angles(const Frame& mirror);

}  // namespace helioray::soltrace
