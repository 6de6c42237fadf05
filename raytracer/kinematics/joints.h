// SPDX-License-Identifier: MIT
// The joints of a heliostat of either type: orientation for joint angles, and back. T is double or
// a Dual.
#pragma once

#include "raytracer/kinematics/azimuth_elevation.h"
#include "raytracer/kinematics/rigid_body.h"

#include <optional>

namespace helioray {

/// Prepared for many angles of one heliostat.
template <typename T>
class Joints {
  public:
    /// The record must outlive this.
    explicit Joints(const BasicRecord<T>& record) : record_(record) {
        if (record.type == KinematicsType::rigid_body) rigid_body_.emplace(record);
    }

    /// Mirror frame to ENU for joint angles (radians).
    Frame<T> orientation(const std::array<T, 2>& joint_angles) const {
        return rigid_body_ ? rigid_body_->orientation(joint_angles)
                           : azimuth_elevation_orientation(record_, joint_angles);
    }

    /// Joint angles for a normal (unit, ENU). The branch matters to rigid bodies only.
    NormalSolution<T> joint_angles(const Triple<T>& normal, Branch branch = Branch::natural) const {
        if (rigid_body_) return rigid_body_->joint_angles(normal, branch);
        return {azimuth_elevation_joint_angles(normal), true};
    }

  private:
    const BasicRecord<T>& record_;
    std::optional<RigidBody<T>> rigid_body_;
};

}  // namespace helioray
