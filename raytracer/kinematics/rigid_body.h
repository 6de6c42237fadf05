// SPDX-License-Identifier: MIT
// Kinematics "rigid_body": two tilted, displaced joints, axis 1 about east, axis 2 about up. T is
// double or a Dual.
#pragma once

#include "raytracer/kinematics/record.h"
#include "raytracer/kinematics/transforms.h"

namespace helioray {

/// The two ways to point a rigid body's normal; rolled is natural followed by half a turn of the
/// mirror about its normal (exactly so without tilts).
enum class Branch { natural, rolled };

/// Joint angles for a wanted normal.
template <typename T>
struct NormalSolution {
    std::array<T, 2> joint_angles;  ///< radians
    /// The joints can point there at all (tilts can leave a gap at east and west).
    bool reachable = false;
};

/// A rigid body, with the cosines and sines of its tilts computed once.
template <typename T>
class RigidBody {
  public:
    /// Copies what it needs of the record.
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

    /// Mirror frame to ENU for joint angles (radians):
    ///
    ///     T(p) R_n R_u T(t1) R_e(angle 1) R_e R_n T(t2) R_u(angle 2) T(tc) R_e(pi/2)
    ///
    /// The rotations without an angle are the tilts, in their order in `rotations`. The last factor
    /// takes the mirror frame (normal up) to the joints' frame, in which the normal of angles
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
        // Times the exact R_e(pi/2): n becomes u, u becomes -n.
        return {joint.e, joint.u, {-joint.n[0], -joint.n[1], -joint.n[2]}, joint.origin};
    }

    /// Joint angles that point the normal along `normal` (unit, ENU); angle 2 in [-pi/2, pi/2] on
    /// the natural branch.
    NormalSolution<T> joint_angles(const Triple<T>& normal, Branch branch) const {
        using std::sqrt;
        // m: the wanted normal behind the first joint's tilts.
        const auto [m_e, m_n, m_u] = first_.inwards(normal);

        // Axis 2: turning axis 1 cannot change the east component, cos(tilt) sin(angle 2) = m_e.
        // The cosine comes from the other two components, which stays accurate near east and west.
        const T rest = m_n * m_n + m_u * m_u - second_tilt_n_.sine * second_tilt_n_.sine;
        constexpr double kRoundOff = 1e-15;
        const T root = value_of(rest) > 1e-30 ? sqrt(rest) : T(0.0);
        const T cosine = branch == Branch::natural ? root : -root;
        const double tilt_cosine = value_of(second_tilt_n_.cosine);
        const double sign = tilt_cosine > 0 ? 1.0 : tilt_cosine < 0 ? -1.0 : 0.0;
        const T angle_2 = angle_of<T>(m_e * sign, cosine, /*undefined=*/0.0);

        // Axis 1: what is left of turning south by angle 2 is a rotation about east.
        const Turn<T> turn_2(angle_2);
        const Triple<T> v = second_.outwards({turn_2.sine, -turn_2.cosine, T(0.0)});
        const T angle_1 =
            angle_of<T>(v[1] * m_u - v[2] * m_n, v[1] * m_n + v[2] * m_u, /*undefined=*/0.0);
        return {{angle_1, angle_2}, value_of(rest) >= -kRoundOff};
    }

  private:
    std::array<T, 9> translations_;
    Turn<T> second_tilt_e_, second_tilt_n_;
    Frame<T> first_;   // position and first joint's tilts
    Frame<T> second_;  // second joint's tilts alone
};

}  // namespace helioray
