// SPDX-License-Identifier: MIT
// Exact derivatives of a heliostat's pose by everything that floats.
#pragma once

#include "raytracer/kinematics/record.h"

#include <array>

namespace helioray {

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
