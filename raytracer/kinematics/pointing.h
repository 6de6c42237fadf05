// SPDX-License-Identifier: MIT
// Points a mirror so that it reflects the sun to an aim point: the normal, and the joint angles at
// which the mirror's moving origin agrees with it.
#pragma once

#include "raytracer/kinematics/joints.h"

namespace helioray {

/// The sun and what its light shall meet. T is double or a Dual.
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

/// How a mirror is pointed, and what its drives make of it. Arrays: axis 1, axis 2.
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

}  // namespace helioray
