// SPDX-License-Identifier: MIT
// The pose of one mirror as a function of everything that floats, how it is pointed, and its exact
// derivatives. T is double or a Dual, whose variables may be any of the inputs.
#pragma once

#include "raytracer/kinematics/drives.h"
#include "raytracer/kinematics/joints.h"
#include "raytracer/kinematics/record.h"

#include <array>

namespace helioray {

/// The sun and the point that its light should hit. T is double or a Dual.
template <typename T>
struct LightPath {
    Triple<T> to_sun;     ///< unit vector, ENU
    Triple<T> aim_point;  ///< metres, ENU
};

/// The normal that reflects the sun from a mirror at `origin` (metres) to the aim point. Not valid,
/// and up, where the aim point lies at the mirror or the light would have to go straight on.
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

/// Joint angles for the normal that the mirror would need where it is at `joint_angles`. Angles
/// that stay as they are point the mirror.
template <typename T>
NormalSolution<T> corrected_joint_angles(const Joints<T>& joints,
                                         const LightPath<T>& path,
                                         const std::array<T, 2>& joint_angles,
                                         Branch branch) {
    const Frame<T> mirror = joints.orientation(joint_angles);
    return joints.joint_angles(bisector(path, mirror.origin).vector, branch);
}

/// The requested and the realised pose of a mirror. Arrays: axis 1, axis 2.
struct Pointing {
    Branch branch = Branch::natural;          ///< the rolled one only where limits demand it
    std::array<double, 2> joint_angles{};     ///< radians, wanted
    std::array<double, 2> held_angles{};      ///< the same, or where the drive ends before
    std::array<double, 2> motor_positions{};  ///< steps (linear) or radians (ideal)
    std::array<bool, 2> reachable_angle{};    ///< a stroke gives the joint angle
    std::array<bool, 2> within_limits{};      ///< reachable, and within the motor's limits
    bool reachable_normal = false;            ///< some joint angles point the normal there
};

/// Iterates one heliostat to consistency: normal within 1e-12 in at most 50 passes, then on to
/// rounding. Rigid bodies take the natural branch; the rolled one only where meaningful limits
/// exclude the natural one and admit the rolled one.
Pointing point_mirror(const KinematicsRecord& record, const LightPath<double>& path);

/// 1 - df/dq of a pointing's joint angles q and f = corrected_joint_angles, inverted; row-major.
std::array<double, 4> inverse_of_correction(const KinematicsRecord& record,
                                            const LightPath<double>& path,
                                            const Pointing& pointing);

/// Wanted joint angles of a pointing with their derivatives by whatever the numbers of `joints` and
/// `path` carry along. `inverse` is inverse_of_correction() of their values.
///
/// The angles q solve q = f(q, x). Differentiating this gives a linear system with the 2 x 2 matrix
/// 1 - df/dq, so nothing is iterated. Each solution with the matrix of plain numbers adds one order
/// of derivatives.
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

/// The pose of a mirror and the positions of its drives.
template <typename T>
struct Pose {
    Frame<T> mirror;                   ///< mirror frame (normal up) to ENU
    std::array<T, 2> joint_angles;     ///< radians, with the axis errors
    std::array<T, 2> motor_positions;  ///< as commanded; steps (linear) or radians (ideal)
};

/// The inputs for aiming a mirror.
template <typename T>
struct AimInputs {
    BasicRecord<T> record;           ///< the heliostat
    Triple<T> incident_direction;    ///< propagation of sunlight, any length above 1e-12
    Triple<T> aim_point;             ///< metres, ENU
    std::array<T, 2> axis_errors{};  ///< radians, added to the joint angles
};

/// The inputs for turning a mirror.
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

/// The pose of a mirror for given motor positions.
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

/// Columns of an aimed pose's derivatives: those of the record, then these.
struct AimColumns : RecordColumns {
    static constexpr size_t axis_errors = RecordColumns::count;    ///< 2, radians
    static constexpr size_t incident_direction = axis_errors + 2;  ///< 3
    static constexpr size_t aim_point = incident_direction + 3;    ///< 3, metres
    static constexpr size_t count = aim_point + 3;                 ///< how many there are
};

/// Columns of the derivatives of a pose with given motor positions: those of the record, then
/// these.
struct MotorColumns : RecordColumns {
    static constexpr size_t axis_errors = RecordColumns::count;  ///< 2, radians
    static constexpr size_t motor_positions = axis_errors + 2;   ///< 2
    static constexpr size_t count = motor_positions + 2;         ///< how many there are
};

/// Derivatives by N columns.
template <size_t N>
struct PoseJacobian {
    using Row = std::array<double, N>;   ///< derivatives of one number
    std::array<Row, 12> orientation;     ///< of the first three rows of the 4 x 4 matrix
    std::array<Row, 2> joint_angles;     ///< radians
    std::array<Row, 2> motor_positions;  ///< as commanded; steps (linear) or radians (ideal)
};

/// Derivatives of one heliostat's result of align_to_aim_points() (where it converged) and
/// with_axis_errors().
///
/// The fixed point of the mirror's origin is differentiated, not its iteration. Where a drive ends
/// before the wanted angle, the held joint angle has no derivative. Takes 7 microseconds.
PoseJacobian<AimColumns::count> aim_jacobian(const KinematicsRecord& record,
                                             const Vec3& incident_direction,
                                             const Vec3& aim_point,
                                             const std::array<double, 2>& axis_errors = {});

/// The same of align_to_motor_positions() and with_axis_errors().
PoseJacobian<MotorColumns::count> motor_jacobian(const KinematicsRecord& record,
                                                 const std::array<double, 2>& motor_positions,
                                                 const std::array<double, 2>& axis_errors = {});

}  // namespace helioray
