// SPDX-License-Identifier: MIT
// The pose of one mirror as a function of everything that floats. T is double or a Dual, whose
// variables may be any of the inputs.
#pragma once

#include "raytracer/kinematics/drives.h"
#include "raytracer/kinematics/pointing.h"

namespace helioray {

/// Where a mirror and its drives stand.
template <typename T>
struct Pose {
    Frame<T> mirror;                   ///< mirror frame (normal up) to ENU
    std::array<T, 2> joint_angles;     ///< radians, with the axis errors
    std::array<T, 2> motor_positions;  ///< as commanded; steps (linear) or radians (ideal)
};

/// What a mirror aims with.
template <typename T>
struct AimInputs {
    BasicRecord<T> record;           ///< the heliostat
    Triple<T> incident_direction;    ///< propagation of sunlight, any length above 1e-12
    Triple<T> aim_point;             ///< metres, ENU
    std::array<T, 2> axis_errors{};  ///< radians, added to the joint angles
};

/// What a mirror is turned with.
template <typename T>
struct MotorInputs {
    BasicRecord<T> record;             ///< the heliostat
    std::array<T, 2> motor_positions;  ///< steps (linear) or radians (ideal)
    std::array<T, 2> axis_errors{};    ///< radians, added to the joint angles
};

/// The unit vector to the sun; not valid where the direction has no length.
template <typename T>
UnitVector<T> to_sun(const Triple<T>& incident_direction) {
    const auto& d = incident_direction;
    return normalise_or_up<T>({-d[0], -d[1], -d[2]}, 1e-12);
}

/// Values of an array of numbers.
template <typename T, size_t N>
std::array<double, N> values_of(const std::array<T, N>& numbers) {
    std::array<double, N> values;
    for (size_t i = 0; i < N; ++i) values[i] = value_of(numbers[i]);
    return values;
}

/// Pose with given joint angles and motor positions.
template <typename T>
Pose<T> turned_pose(const Joints<T>& joints,
                    std::array<T, 2> joint_angles,
                    const std::array<T, 2>& motor_positions,
                    const std::array<T, 2>& axis_errors) {
    for (size_t axis = 0; axis < 2; ++axis)
        joint_angles[axis] = joint_angles[axis] + axis_errors[axis];
    return {joints.orientation(joint_angles), joint_angles, motor_positions};
}

/// The pose of a mirror that aims. plain, pointing: the record's values and their point_mirror().
/// Joint angles that a drive's end holds have no derivative.
template <typename T>
Pose<T> aimed_pose(const AimInputs<T>& inputs,
                   const KinematicsRecord& plain,
                   const Pointing& pointing) {
    const Joints<T> joints(inputs.record);
    const LightPath<T> path{to_sun(inputs.incident_direction).vector, inputs.aim_point};
    std::array<double, 4> inverse{};
    if constexpr (kOrder < T >> 0) {
        inverse = inverse_of_correction(
            plain, {values_of(path.to_sun), values_of(path.aim_point)}, pointing);
    }
    std::array<T, 2> angles = differentiated_joint_angles(joints, path, pointing, inverse);
    std::array<T, 2> motors;
    for (size_t axis = 0; axis < 2; ++axis) {
        motors[axis] =
            motor_position_from_joint_angle(inputs.record.drives[axis], angles[axis]).position;
        if (!pointing.reachable_angle[axis]) angles[axis] = T(pointing.held_angles[axis]);
    }
    return turned_pose(joints, angles, motors, inputs.axis_errors);
}

/// The pose of a mirror whose motors stand at given positions.
template <typename T>
Pose<T> motor_pose(const MotorInputs<T>& inputs) {
    std::array<T, 2> angles;
    for (size_t axis = 0; axis < 2; ++axis) {
        angles[axis] = joint_angle_from_motor_position(inputs.record.drives[axis],
                                                       inputs.motor_positions[axis])
                           .angle;
    }
    return turned_pose(
        Joints<T>(inputs.record), angles, inputs.motor_positions, inputs.axis_errors);
}

}  // namespace helioray
