// SPDX-License-Identifier: MIT
// Computes the orientation of a heliostat from its joint angles and back, for both types of
// kinematics. T is double or a Dual.
#pragma once

#include "raytracer/tracing/kinematics/record.h"
#include "raytracer/tracing/kinematics/transforms.h"

#include <numbers>
#include <optional>

namespace helioray {

/// The two ways to point the normal of a rigid body. The rolled branch is the natural one followed
/// by half a turn of the mirror about its normal (exactly so without tilts).
enum class Branch { natural, rolled };

/// Joint angles for a required normal.
template <typename T>
struct NormalSolution {
    std::array<T, 2> joint_angles;  ///< radians
    /// The joints can point along the normal (tilts can leave a gap at east and west).
    bool reachable = false;
};

/// A rigid body with precomputed cosines and sines of its tilts.
template <typename T>
class RigidBody {
  public:
    /// Copies the required numbers from the record.
    explicit RigidBody(const BasicRecord<T>& record)
        : translations_(record.translations),
          second_tilt_e_(record.rotations[2]),
          second_tilt_n_(record.rotations[3]) {
        first_.turn_n(Turn<T>(record.rotations[0]));
        first_.turn_u(Turn<T>(record.rotations[1]));
        second_.turn_e(second_tilt_e_);
        second_.turn_n(second_tilt_n_);
        first_.origin = record.position;
    }

    /// Returns the transform from the mirror frame to ENU for joint angles (radians):
    ///
    ///     T(p) R_n R_u T(t1) R_e(angle 1) R_e R_n T(t2) R_u(angle 2) T(tc) R_e(pi/2)
    ///
    /// The rotations without an angle are the tilts, in their order in `rotations`. The last factor
    /// converts the mirror frame (normal up) to the joints' frame, in which the normal of angles
    /// (0, 0) points south.
    Frame<T> orientation(const std::array<T, 2>& joint_angles) const {
        Frame<T> joint = first_;
        joint.move(&translations_[0]);
        joint.turn_e(Turn<T>(joint_angles[0]));
        joint.turn_e(second_tilt_e_);
        joint.turn_n(second_tilt_n_);
        joint.move(&translations_[3]);
        joint.turn_u(Turn<T>(joint_angles[1]));
        joint.move(&translations_[6]);
        // Multiply by the exact R_e(pi/2): n becomes u, u becomes -n.
        return {joint.e, joint.u, {-joint.n[0], -joint.n[1], -joint.n[2]}, joint.origin};
    }

    /// Returns the joint angles that point the normal along `normal` (unit, ENU); angle 2 is in
    /// [-pi/2, pi/2] on the natural branch.
    NormalSolution<T> joint_angles(const Triple<T>& normal, Branch branch) const {
        using std::sqrt;
        // (m_e, m_n, m_u) is the required normal in the frame of the first joint's tilts.
        const auto [m_e, m_n, m_u] = first_.inwards(normal);

        // Axis 2: turning axis 1 cannot change the east component, so cos(tilt) sin(angle 2) = m_e.
        // The cosine follows from the other two components, which stays accurate near east and
        // west.
        const T rest = m_n * m_n + m_u * m_u - second_tilt_n_.sine * second_tilt_n_.sine;
        constexpr double kRoundOff = 1e-15;
        const T root = value_of(rest) > 1e-30 ? sqrt(rest) : T(0.0);
        const T cosine = branch == Branch::natural ? root : -root;
        const double tilt_cosine = value_of(second_tilt_n_.cosine);
        const double sign = tilt_cosine > 0 ? 1.0 : tilt_cosine < 0 ? -1.0 : 0.0;
        const T angle_2 = atan2_or<T>(m_e * sign, cosine, /*undefined=*/0.0);

        // Axis 1: after turning south by angle 2, a rotation about east remains.
        const Turn<T> turn_2(angle_2);
        const Triple<T> v = second_.outwards({turn_2.sine, -turn_2.cosine, T(0.0)});
        const T angle_1 =
            atan2_or<T>(v[1] * m_u - v[2] * m_n, v[1] * m_n + v[2] * m_u, /*undefined=*/0.0);
        return {{angle_1, angle_2}, value_of(rest) >= -kRoundOff};
    }

  private:
    std::array<T, 9> translations_;
    Turn<T> second_tilt_e_, second_tilt_n_;
    Frame<T> first_;   // position and first joint's tilts
    Frame<T> second_;  // second joint's tilts
};

/// Returns the transform from the mirror frame to ENU for the joint angles azimuth a (clockwise
/// from north) and elevation h of the normal, radians.
///
/// Axes in ENU: e = (-cos a, sin a, 0), n = normal x e, normal = (cos h sin a, cos h cos a, sin h).
/// The concentrator translation moves the mirror along these axes; this type has no joint
/// translations and tilts.
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

/// Returns the joint angles of a normal (unit, ENU): azimuth in [0, 2 pi), elevation in [-pi/2,
/// pi/2]. A normal that points straight up has azimuth pi and no derivative with respect to its
/// horizontal part.
template <typename T>
std::array<T, 2> azimuth_elevation_joint_angles(const Triple<T>& normal) {
    using std::atan2, std::sqrt;
    const auto& [e, n, u] = normal;
    const T signed_azimuth = atan2_or(e, n, /*undefined=*/std::numbers::pi);
    const T azimuth =
        value_of(signed_azimuth) < 0 ? signed_azimuth + 2.0 * std::numbers::pi : signed_azimuth;
    const T square = e * e + n * n;
    const T horizontal = value_of(square) > 1e-30 ? sqrt(square) : T(0.0);
    return {azimuth, atan2(u, horizontal)};
}

/// The joints of one heliostat, prepared for the evaluation of many angles.
template <typename T>
class Joints {
  public:
    /// Stores a reference: the record must outlive this object.
    explicit Joints(const BasicRecord<T>& record) : record_(record) {
        if (record.type == KinematicsType::rigid_body) rigid_body_.emplace(record);
    }

    /// Returns the transform from the mirror frame to ENU for joint angles (radians).
    Frame<T> orientation(const std::array<T, 2>& joint_angles) const {
        return rigid_body_ ? rigid_body_->orientation(joint_angles)
                           : azimuth_elevation_orientation(record_, joint_angles);
    }

    /// Returns the joint angles for a normal (unit, ENU). Only rigid bodies use the branch.
    NormalSolution<T> joint_angles(const Triple<T>& normal, Branch branch = Branch::natural) const {
        if (rigid_body_) return rigid_body_->joint_angles(normal, branch);
        return {azimuth_elevation_joint_angles(normal), true};
    }

  private:
    const BasicRecord<T>& record_;
    std::optional<RigidBody<T>> rigid_body_;
};

}  // namespace helioray
