// SPDX-License-Identifier: MIT
// Converts motor positions of drives to joint angles and back, with limits and reach. T is double
// or a Dual.
#pragma once

#include "raytracer/tracing/kinematics/dual.h"
#include "raytracer/tracing/kinematics/record.h"

#include <cmath>
#include <numbers>

namespace helioray {

/// A joint angle that a drive may or may not reach.
template <typename T>
struct JointAngle {
    T angle;                 ///< joint angle, radians
    bool reachable = false;  ///< true if the drive's triangle closes
};

/// A motor position, which does not exist for every joint angle.
template <typename T>
struct MotorPosition {
    T position;              ///< steps (linear) or radians (ideal)
    bool reachable = false;  ///< true if a stroke gives the joint angle
};

/// Returns false for ideal drives whose limits span more than two turns. Such limits were written
/// for motor steps (ARTIST's sample scenarios give [0, 60000] for angles) and are not applied.
template <typename T>
bool limits_are_meaningful(const BasicDrive<T>& drive) {
    return drive.is_linear || drive.max_position - drive.min_position <= 4.0 * std::numbers::pi;
}

/// Returns true if the position lies in [min, max] (with a tolerance of 1e-9 of the range) or the
/// limits are not meaningful.
template <typename T>
bool within_motor_limits(const BasicDrive<T>& drive, double position) {
    const double slack = std::abs(drive.max_position - drive.min_position) * 1e-9;
    const bool inside =
        position >= drive.min_position - slack && position <= drive.max_position + slack;
    return inside || !limits_are_meaningful(drive);
}

/// Returns the cosine of the angle between offset and pivot radius of a linear drive, opposite to
/// the stroke.
template <typename T>
T triangle_cosine(const BasicDrive<T>& drive, const T& stroke) {
    return (drive.offset * drive.offset + drive.pivot_radius * drive.pivot_radius -
            stroke * stroke) /
           (2.0 * drive.offset * drive.pivot_radius);
}

/// Returns the angle between offset and pivot radius at motor position 0, radians.
template <typename T>
T initial_triangle_angle(const BasicDrive<T>& drive) {
    using std::acos;
    return acos(triangle_cosine(drive, drive.initial_stroke));
}

/// Returns the joint angle at a motor position.
///
/// Linear drive: the stroke s = position / increment + initial stroke closes a triangle with the
/// sides offset b and pivot radius r; the angle between these two is g(s) = acos((b^2 + r^2 - s^2)
/// / (2 b r)). The joint turns by g(initial stroke) - g(s), which is added to the initial angle for
/// clockwise drives and subtracted otherwise.
/// Ideal drive: the angle is the position.
///
/// If the triangle does not close, reachable is false and the angle is the nearest possible one,
/// which does not depend on the position. Limits are not checked.
template <typename T>
JointAngle<T> joint_angle_from_motor_position(const BasicDrive<T>& drive, const T& position) {
    using std::acos;
    if (!drive.is_linear) return {position, true};

    // Law of cosines; beyond the ends of the triangle the angle is clamped to 0 or pi.
    const T stroke = position / drive.increment + drive.initial_stroke;
    const T cosine = triangle_cosine(drive, stroke);
    const bool extends = value_of(stroke) > 0;
    const bool closes = extends && value_of(cosine) < 1 && value_of(cosine) > -1;
    const bool too_long = extends && value_of(cosine) <= -1;
    const T angle = closes ? acos(cosine) : T(too_long ? std::numbers::pi : 0.0);

    const T turn = initial_triangle_angle(drive) - angle;
    return {drive.clockwise ? drive.initial_angle + turn : drive.initial_angle - turn, closes};
}

/// Returns the motor position that gives a linear drive's joint angle; see
/// motor_position_from_joint_angle().
template <typename T>
MotorPosition<T> linear_motor_position(const BasicDrive<T>& drive, const T& angle) {
    using std::abs, std::cos, std::sqrt;
    // Remove whole turns from the triangle's angle.
    constexpr double kTurn = 2.0 * std::numbers::pi;
    const T offset_angle = angle - drive.initial_angle;
    const T turn = drive.clockwise ? offset_angle : -offset_angle;
    const T wanted = initial_triangle_angle(drive) - turn;
    const T wrapped = wanted - std::nearbyint(value_of(wanted) / kTurn) * kTurn;

    // The law of cosines gives the stroke.
    const double value = value_of(wrapped);
    const bool exists = value > 0 && value < std::numbers::pi;
    T stroke;
    if (exists) {
        stroke = sqrt(drive.offset * drive.offset + drive.pivot_radius * drive.pivot_radius -
                      2.0 * drive.offset * drive.pivot_radius * cos(wrapped));
    } else if (std::abs(value) < std::numbers::pi / 2) {
        // Angles in (-pi/2, 0] are nearest to the folded triangle, the others to the stretched one.
        stroke = abs(drive.offset - drive.pivot_radius);
    } else {
        stroke = drive.offset + drive.pivot_radius;
    }
    return {(stroke - drive.initial_stroke) * drive.increment, exists};
}

/// Returns the motor position that gives a joint angle; the inverse of
/// joint_angle_from_motor_position().
///
/// Angles that differ by whole turns describe one orientation: ideal drives take the turn that lies
/// within their limits, if there is one. If no stroke gives the angle, reachable is false and the
/// position is that of the nearest end of the triangle, which does not depend on the angle.
template <typename T>
MotorPosition<T> motor_position_from_joint_angle(const BasicDrive<T>& drive, const T& angle) {
    if (drive.is_linear) return linear_motor_position(drive, angle);

    // Add whole turns if that brings the angle within the limits.
    constexpr double kTurn = 2.0 * std::numbers::pi;
    const double turns = std::ceil((drive.min_position - value_of(angle)) / kTurn) * kTurn;
    const bool helps = limits_are_meaningful(drive) &&
                       !within_motor_limits(drive, value_of(angle)) &&
                       value_of(angle) + turns <= drive.max_position;
    return {helps ? angle + turns : angle, true};
}

}  // namespace helioray
