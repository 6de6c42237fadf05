// SPDX-License-Identifier: MIT
// The pose of one mirror as a function of all its continuous inputs, and its exact derivatives. T
// is double or a Dual whose variables may be any of the inputs.
#pragma once

#include "raytracer/tracing/kinematics/drives.h"
#include "raytracer/tracing/kinematics/joints.h"
#include "raytracer/tracing/kinematics/record.h"

#include <array>

namespace helioray {

/// The direction to the sun and the point that the reflected light should hit. T is double or a
/// Dual.
template <typename T>
struct LightPath {
    Triple<T> to_sun;     ///< unit vector, ENU
    Triple<T> aim_point;  ///< metres, ENU
};

/// Returns the normal that reflects the sun from a mirror at `origin` (metres) to the aim point.
/// The result is up and not valid if the aim point lies at the mirror or the light would have to
/// pass straight on.
template <typename T>
UnitVector<T> bisector(const LightPath<T>& path, const Triple<T>& origin) {
    constexpr double kShortestRay = 1e-6;       // metres from the mirror to its aim point
    constexpr double kShortestBisector = 1e-9;  // sum of the unit vectors to sun and aim point
    const auto& [sun, aim] = path;
    const UnitVector<T> ray = normalise_or_up<T>(
        {aim[0] - origin[0], aim[1] - origin[1], aim[2] - origin[2]}, kShortestRay);
    const Triple<T>& to_aim = ray.vector;
    UnitVector<T> normal = normalise_or_up<T>(
        {sun[0] + to_aim[0], sun[1] + to_aim[1], sun[2] + to_aim[2]}, kShortestBisector);
    normal.valid = normal.valid && ray.valid;
    return normal;
}

/// Returns the joint angles for the normal that the mirror needs at its position for
/// `joint_angles`. Angles that this function does not change point the mirror correctly.
template <typename T>
NormalSolution<T> corrected_joint_angles(const Joints<T>& joints,
                                         const LightPath<T>& path,
                                         const std::array<T, 2>& joint_angles,
                                         Branch branch) {
    const Frame<T> mirror = joints.orientation(joint_angles);
    return joints.joint_angles(bisector(path, mirror.origin).vector, branch);
}

/// Requested and realised pose of a mirror. Arrays hold axis 1 and axis 2.
struct Pointing {
    Branch branch = Branch::natural;  ///< branch of a rigid body; rolled only if limits demand it
    std::array<double, 2> joint_angles{};  ///< requested joint angles, radians
    /// Realised joint angles, radians; they differ if a drive ends before.
    std::array<double, 2> held_angles{};
    std::array<double, 2> motor_positions{};  ///< steps (linear) or radians (ideal)
    std::array<bool, 2> reachable_angle{};    ///< a stroke gives the joint angle
    std::array<bool, 2> within_limits{};  ///< the angle is reachable and within the motor's limits
    bool reachable_normal = false;        ///< joint angles exist that point the normal as required
};

/// Iterates one heliostat to consistency: the normal within 1e-12 in at most 50 passes, then on to
/// rounding. Rigid bodies take the natural branch. They take the rolled branch only if meaningful
/// limits exclude the natural one and admit the rolled one.
Pointing point_mirror(const KinematicsRecord& record, const LightPath<double>& path);

/// Returns the inverse of 1 - df/dq, row-major, for the joint angles q of `pointing` and f =
/// corrected_joint_angles().
std::array<double, 4> inverse_of_correction(const KinematicsRecord& record,
                                            const LightPath<double>& path,
                                            const Pointing& pointing);

/// Returns the requested joint angles of `pointing` with their derivatives with respect to the
/// variables of `joints` and `path`. `inverse` is inverse_of_correction() of their values.
///
/// The angles q solve q = f(q, x). Differentiating this equation gives a linear system with the 2 x
/// 2 matrix 1 - df/dq, so no iteration is needed. Each solution with the undifferentiated matrix
/// adds one order of derivatives.
template <typename T>
std::array<T, 2> differentiated_joint_angles(const Joints<T>& joints,
                                             const LightPath<T>& path,
                                             const Pointing& pointing,
                                             const std::array<double, 4>& inverse) {
    std::array<T, 2> q{T(pointing.joint_angles[0]), T(pointing.joint_angles[1])};
    for (int order = 0; order < kOrder<T>; ++order) {
        const auto f = corrected_joint_angles(joints, path, q, pointing.branch).joint_angles;
        const T first = f[0] - q[0], second = f[1] - q[1];
        q = {q[0] + (inverse[0] * first + inverse[1] * second),
             q[1] + (inverse[2] * first + inverse[3] * second)};
    }
    return q;
}

/// Pose of a mirror and positions of its drives.
template <typename T>
struct Pose {
    Frame<T> mirror;                ///< mirror frame (normal up) to ENU
    std::array<T, 2> joint_angles;  ///< joint angles including the axis errors, radians
    /// Commanded motor positions, steps (linear) or radians (ideal).
    std::array<T, 2> motor_positions;
};

/// Inputs for aiming a mirror.
template <typename T>
struct AimInputs {
    BasicRecord<T> record;           ///< kinematics of the heliostat
    Triple<T> incident_direction;    ///< propagation direction of sunlight, any length above 1e-12
    Triple<T> aim_point;             ///< metres, ENU
    std::array<T, 2> axis_errors{};  ///< radians, added to the joint angles
};

/// Inputs for moving a mirror to motor positions.
template <typename T>
struct MotorInputs {
    BasicRecord<T> record;             ///< kinematics of the heliostat
    std::array<T, 2> motor_positions;  ///< steps (linear) or radians (ideal)
    std::array<T, 2> axis_errors{};    ///< radians, added to the joint angles
};

/// Returns the unit vector to the sun; not valid if the direction has no length.
template <typename T>
UnitVector<T> to_sun(const Triple<T>& incident_direction) {
    const auto& d = incident_direction;
    return normalise_or_up<T>({-d[0], -d[1], -d[2]}, 1e-12);
}

/// Returns the values of an array of numbers without derivatives.
template <typename T, size_t N>
std::array<double, N> plain_values(const std::array<T, N>& numbers) {
    std::array<double, N> values;
    for (size_t i = 0; i < N; ++i) values[i] = value_of(numbers[i]);
    return values;
}

/// Returns the pose with given joint angles and motor positions.
template <typename T>
Pose<T> turned_pose(const Joints<T>& joints,
                    std::array<T, 2> joint_angles,
                    const std::array<T, 2>& motor_positions,
                    const std::array<T, 2>& axis_errors) {
    for (size_t axis = 0; axis < 2; ++axis)
        joint_angles[axis] = joint_angles[axis] + axis_errors[axis];
    return {joints.orientation(joint_angles), joint_angles, motor_positions};
}

/// Returns the pose of a mirror that aims at a point. plain, pointing: the values of the record and
/// their point_mirror(). Joint angles at the end of a drive have no derivative.
template <typename T>
Pose<T> aimed_pose(const AimInputs<T>& inputs,
                   const KinematicsRecord& plain,
                   const Pointing& pointing) {
    const Joints<T> joints(inputs.record);
    const LightPath<T> path{to_sun(inputs.incident_direction).vector, inputs.aim_point};
    std::array<double, 4> inverse{};
    if constexpr (kOrder < T >> 0) {
        inverse = inverse_of_correction(
            plain, {plain_values(path.to_sun), plain_values(path.aim_point)}, pointing);
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

/// Returns the pose of a mirror for given motor positions.
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

/// Columns of the derivatives of an aimed pose: those of the record, then the following.
struct AimColumns : RecordColumns {
    static constexpr size_t axis_errors = RecordColumns::count;    ///< 2, radians
    static constexpr size_t incident_direction = axis_errors + 2;  ///< 3
    static constexpr size_t aim_point = incident_direction + 3;    ///< 3, metres
    static constexpr size_t count = aim_point + 3;                 ///< number of columns
};

/// Columns of the derivatives of a pose with given motor positions: those of the record, then the
/// following.
struct MotorColumns : RecordColumns {
    static constexpr size_t axis_errors = RecordColumns::count;  ///< 2, radians
    static constexpr size_t motor_positions = axis_errors + 2;   ///< 2
    static constexpr size_t count = motor_positions + 2;         ///< number of columns
};

/// Derivatives with respect to N columns.
template <size_t N>
struct PoseJacobian {
    using Row = std::array<double, N>;  ///< derivatives of one number
    std::array<Row, 12> orientation;    ///< derivatives of the first three rows of the 4 x 4 matrix
    std::array<Row, 2> joint_angles;    ///< derivatives of the joint angles, radians
    /// Derivatives of the commanded motor positions, steps (linear) or radians (ideal).
    std::array<Row, 2> motor_positions;
};

/// Returns the derivatives of one heliostat's result of align_to_aim_points() (if it converged) and
/// with_axis_errors().
///
/// Differentiates the fixed point of the mirror's origin, not its iteration. If a drive ends before
/// the requested angle, the joint angle has no derivative. Takes 7 microseconds.
PoseJacobian<AimColumns::count> aim_jacobian(const KinematicsRecord& record,
                                             const Vec3& incident_direction,
                                             const Vec3& aim_point,
                                             const std::array<double, 2>& axis_errors = {});

/// Returns the derivatives of one heliostat's result of align_to_motor_positions() and
/// with_axis_errors().
PoseJacobian<MotorColumns::count> motor_jacobian(const KinematicsRecord& record,
                                                 const std::array<double, 2>& motor_positions,
                                                 const std::array<double, 2>& axis_errors = {});

}  // namespace helioray
