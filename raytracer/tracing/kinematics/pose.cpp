// SPDX-License-Identifier: MIT
// Points a mirror by fixed-point iteration over its origin, chooses the branch, and differentiates
// the pose.
#include "raytracer/tracing/kinematics/pose.h"

#include "raytracer/tracing/kinematics/drives.h"

namespace helioray {

namespace {

constexpr int kMaxPasses = 50;
constexpr double kNormalTolerance = 1e-12;  // largest difference of a component of the unit normal
// Every pass divides the error by about (distance to the aim point) / (origin's distance from the
// pivot), which is above 100 in any field. These passes reduce it from the tolerance to rounding.
constexpr int kFinalPasses = 8;

bool agree(const Triple<double>& a, const Triple<double>& b) {
    for (size_t i = 0; i < 3; ++i) {
        if (!(std::abs(a[i] - b[i]) <= kNormalTolerance)) return false;
    }
    return true;
}

Pointing point_on_branch(const KinematicsRecord& record,
                         const LightPath<double>& path,
                         Branch branch) {
    const Joints<double> joints(record);
    Pointing result;
    result.branch = branch;

    // The inverse chooses the branch, so at least one pass is required.
    std::array<double, 2> angles{};
    for (int pass = 0; pass < kMaxPasses; ++pass) {
        const Frame<double> mirror = joints.orientation(angles);
        const Triple<double> wanted = bisector(path, mirror.origin).vector;
        if (pass > 0 && agree(wanted, mirror.u)) break;
        angles = joints.joint_angles(wanted, branch).joint_angles;
    }
    for (int pass = 0; pass < kFinalPasses; ++pass) {
        const auto next = corrected_joint_angles(joints, path, angles, branch);
        const bool settled = next.joint_angles == angles;
        angles = next.joint_angles;
        result.reachable_normal = next.reachable;
        if (settled) break;
    }

    for (size_t axis = 0; axis < 2; ++axis) {
        const DriveRecord& drive = record.drives[axis];
        const auto motor = motor_position_from_joint_angle(drive, angles[axis]);
        result.joint_angles[axis] = angles[axis];
        result.motor_positions[axis] = motor.position;
        result.reachable_angle[axis] = motor.reachable;
        result.within_limits[axis] = motor.reachable && within_motor_limits(drive, motor.position);
        // A drive that ends before the requested angle keeps the mirror at its end.
        result.held_angles[axis] =
            motor.reachable ? angles[axis]
                            : joint_angle_from_motor_position(drive, motor.position).angle;
    }
    return result;
}

bool is_within(const Pointing& pointing) {
    return pointing.within_limits[0] && pointing.within_limits[1];
}

}  // namespace

Pointing point_mirror(const KinematicsRecord& record, const LightPath<double>& path) {
    const Pointing natural = point_on_branch(record, path, Branch::natural);
    const bool meaningful =
        limits_are_meaningful(record.drives[0]) && limits_are_meaningful(record.drives[1]);
    const bool has_branches = record.type == KinematicsType::rigid_body;
    if (is_within(natural) || !meaningful || !has_branches) return natural;
    const Pointing rolled = point_on_branch(record, path, Branch::rolled);
    return is_within(rolled) && rolled.reachable_normal ? rolled : natural;
}

std::array<double, 4> inverse_of_correction(const KinematicsRecord& record,
                                            const LightPath<double>& path,
                                            const Pointing& pointing) {
    // Differentiate with respect to the two angles only.
    using Number = Dual<2>;
    const auto constant = [](size_t, double value) { return Number(value); };
    const auto plain = converted_record<Number>(record, constant);
    const auto constants = [](const Triple<double>& v) -> Triple<Number> {
        return {Number(v[0]), Number(v[1]), Number(v[2])};
    };
    const std::array<Number, 2> angles{Number(pointing.joint_angles[0], {1.0, 0.0}),
                                       Number(pointing.joint_angles[1], {0.0, 1.0})};
    const auto f = corrected_joint_angles(Joints<Number>(plain),
                                          {constants(path.to_sun), constants(path.aim_point)},
                                          angles,
                                          pointing.branch)
                       .joint_angles;

    // Invert the matrix ((a, b), (c, d)).
    const double a = 1.0 - f[0].slope[0], b = -f[0].slope[1];
    const double c = -f[1].slope[0], d = 1.0 - f[1].slope[1];
    const double determinant = a * d - b * c;
    return {d / determinant, -b / determinant, -c / determinant, a / determinant};
}

namespace {

/// Creates numbers whose derivatives are those with respect to the columns.
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
PoseJacobian<N> extract_derivatives(const Pose<Dual<N>>& pose) {
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
    return extract_derivatives(aimed_pose(inputs, record, pointing));
}

PoseJacobian<MotorColumns::count> motor_jacobian(const KinematicsRecord& record,
                                                 const std::array<double, 2>& motor_positions,
                                                 const std::array<double, 2>& axis_errors) {
    using Columns = MotorColumns;
    const Seeds<Columns::count> seeds;
    return extract_derivatives(motor_pose(
        MotorInputs<Dual<Columns::count>>{converted_record<Dual<Columns::count>>(record, seeds),
                                          seeds.from(Columns::motor_positions, motor_positions),
                                          seeds.from(Columns::axis_errors, axis_errors)}));
}

}  // namespace helioray
