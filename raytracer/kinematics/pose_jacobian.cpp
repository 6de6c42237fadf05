// SPDX-License-Identifier: MIT
// Exact derivatives of a heliostat's pose by everything that floats.
#include "raytracer/kinematics/pose_jacobian.h"

#include "raytracer/kinematics/pose.h"

namespace helioray {

namespace {

/// Numbers whose derivatives are those by the columns.
template <size_t N>
struct Seeds {
    Dual<N> operator()(size_t column, double value) const {
        Dual<N> number(value);
        number.slope[column] = 1.0;
        return number;
    }

    template <size_t Size>
    std::array<Dual<N>, Size> from(size_t column, const std::array<double, Size>& values) const {
        std::array<Dual<N>, Size> numbers;
        for (size_t i = 0; i < Size; ++i) numbers[i] = (*this)(column + i, values[i]);
        return numbers;
    }
};

template <size_t N>
PoseJacobian<N> derivatives_of(const Pose<Dual<N>>& pose) {
    PoseJacobian<N> result;
    const std::array<Dual<N>, 16> matrix = pose.mirror.matrix();
    for (size_t i = 0; i < 12; ++i) result.orientation[i] = matrix[i].slope;
    for (size_t axis = 0; axis < 2; ++axis) {
        result.joint_angles[axis] = pose.joint_angles[axis].slope;
        result.motor_positions[axis] = pose.motor_positions[axis].slope;
    }
    return result;
}

}  // namespace

PoseJacobian<AimColumns::count> aim_jacobian(const KinematicsRecord& record,
                                             const Vec3& incident_direction,
                                             const Vec3& aim_point,
                                             const std::array<double, 2>& axis_errors) {
    using Columns = AimColumns;
    const Seeds<Columns::count> seeds;
    const AimInputs<Dual<Columns::count>> inputs{
        converted_record<Dual<Columns::count>>(record, seeds),
        seeds.from(Columns::incident_direction, incident_direction),
        seeds.from(Columns::aim_point, aim_point),
        seeds.from(Columns::axis_errors, axis_errors)};
    const Pointing pointing = point_mirror(record, {to_sun(incident_direction).vector, aim_point});
    return derivatives_of(aimed_pose(inputs, record, pointing));
}

PoseJacobian<MotorColumns::count> motor_jacobian(const KinematicsRecord& record,
                                                 const std::array<double, 2>& motor_positions,
                                                 const std::array<double, 2>& axis_errors) {
    using Columns = MotorColumns;
    const Seeds<Columns::count> seeds;
    return derivatives_of(motor_pose(
        MotorInputs<Dual<Columns::count>>{converted_record<Dual<Columns::count>>(record, seeds),
                                          seeds.from(Columns::motor_positions, motor_positions),
                                          seeds.from(Columns::axis_errors, axis_errors)}));
}

}  // namespace helioray
