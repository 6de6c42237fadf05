// SPDX-License-Identifier: MIT
// Computes the poses of mirrors for a sun direction and aim points, or for given motor positions.
#pragma once

#include "raytracer/tracing/kinematics/record.h"

#include <array>
#include <cstddef>
#include <span>
#include <string>
#include <vector>

namespace helioray {

/// A request that a heliostat of the batch cannot fulfil, or a warning for users.
struct AlignmentIssue {
    /// The problem and its remedy.
    enum class Kind {
        /// Motor position beyond the limits; used nevertheless.
        outside_limits,
        /// No stroke gives the joint angle; the nearest possible angle is used.
        unreachable_angle,
        /// The drive's triangle does not close at the motor position; the nearest angle is used.
        unreachable_stroke,
        /// No joint angles point the mirror along the required normal.
        unreachable_normal,
        /// The aim point lies at the mirror, or the light would have to pass straight on.
        undefined_normal,
        /// No consistent alignment was found: the aim point is too close to the mirror.
        not_converged,
        /// The limits of an ideal drive are too wide to be angles; they are not applied.
        limits_not_meaningful,
    };

    size_t heliostat = 0;              ///< row in the batch
    int axis = 0;                      ///< 1 or 2; 0 for the whole heliostat
    Kind kind = Kind::outside_limits;  ///< kind of issue
    /// Message for users: "motor position 81234 of axis 2 lies outside [0, 75308]".
    std::string message;

    // The following members are set only if `axis` is 1 or 2; steps (linear) or radians (ideal).
    /// requested motor position; for unreachable_angle the end of the drive's reach
    double motor_position = 0.0;
    double min_position = 0.0;  ///< lower limit of the motor position
    double max_position = 0.0;  ///< upper limit of the motor position
};

/// Pose of one mirror. Arrays hold axis 1 and axis 2.
struct AlignedMirror {
    /// Transform from the mirror frame (facets in the e-n plane, normal up) to ENU, 4 x 4,
    /// row-major.
    std::array<double, 16> orientation{};
    std::array<double, 2> joint_angles{};  ///< joint angles, radians
    /// Motor positions, steps (linear) or radians (ideal).
    std::array<double, 2> motor_positions{};
    /// The position is within the motor limits and the drive's reach.
    std::array<bool, 2> within_limits{};
    bool converged = false;  ///< the mirror reflects the light to its aim point

    /// Returns true if both drives can point the mirror at its aim point.
    bool is_in_reach() const { return converged && within_limits[0] && within_limits[1]; }
};

/// Poses of N mirrors.
struct Alignment {
    std::vector<AlignedMirror> mirrors;  ///< in the order of the records
    std::vector<AlignmentIssue> issues;  ///< sorted by heliostat, then axis
};

/// Points every mirror so that light of the incident direction, reflected at the mirror's origin,
/// hits the aim point.
///
/// The origin moves with the mirror, so the pose of each heliostat is iterated until it is
/// consistent (normal within 1e-12, at most 50 passes). The result of a heliostat does not depend
/// on the other heliostats, their order or the number of threads, to the last bit. Motor positions
/// and orientation always agree.
///
/// Rigid bodies take the natural branch. They take the rolled branch only if meaningful limits
/// exclude the natural one and admit the rolled one.
///
/// incident_directions: propagation directions of sunlight, any length; either one for all
/// heliostats or one per heliostat. aim_points: metres, ENU; one per heliostat. num_threads:
/// largest number of threads; 0 means one per core.
///
/// One core aligns 10,000 heliostats in 13 ms. aim_jacobian() computes the derivatives for one
/// heliostat.
///
/// Throws InputError if an incident direction has no length or an input is not finite, and
/// std::invalid_argument if the numbers of inputs do not match.
Alignment align_to_aim_points(std::span<const KinematicsRecord> records,
                              std::span<const Vec3> incident_directions,
                              std::span<const Vec3> aim_points,
                              int num_threads = 1);

/// Returns the poses of mirrors for given motor positions, one pair per record. motor_jacobian()
/// computes the derivatives for one heliostat. Throws InputError if an input is not finite, and
/// std::invalid_argument if the numbers of inputs do not match.
Alignment align_to_motor_positions(std::span<const KinematicsRecord> records,
                                   std::span<const std::array<double, 2>> motor_positions,
                                   int num_threads = 1);

/// Returns `alignment` with tracking errors applied: joint angles and orientations change, the
/// commanded motor positions do not. errors: radians, added to the joint angles; one pair per
/// record. Throws the same errors as align_to_motor_positions().
Alignment with_axis_errors(std::span<const KinematicsRecord> records,
                           Alignment alignment,
                           std::span<const std::array<double, 2>> errors,
                           int num_threads = 1);

}  // namespace helioray
