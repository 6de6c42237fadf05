// SPDX-License-Identifier: MIT
// Alignment: poses of mirrors for a sun direction and aim points, or for given motor positions.
#pragma once

#include "raytracer/kinematics/record.h"

#include <array>
#include <cstddef>
#include <span>
#include <string>
#include <vector>

namespace helioray {

/// Something a heliostat of the batch cannot do as asked, or that users should know.
struct AlignmentIssue {
    /// The problem and its remedy.
    enum class Kind {
        /// Motor position beyond the limits; used nevertheless.
        outside_limits,
        /// No stroke gives the joint angle; the nearest possible angle is used.
        unreachable_angle,
        /// The drive's triangle does not close at the motor position; the nearest angle is used.
        unreachable_stroke,
        /// No joint angles point the mirror there.
        unreachable_normal,
        /// Aim point at the mirror, or light would have to go straight on.
        undefined_normal,
        /// No consistent alignment was found: the aim point is too close to the mirror.
        not_converged,
        /// Limits of an ideal drive that cannot be angles; not applied, harmless.
        limits_not_meaningful,
    };

    size_t heliostat = 0;              ///< row in the batch
    int axis = 0;                      ///< 1 or 2; 0: the whole heliostat
    Kind kind = Kind::outside_limits;  ///< for programs
    std::string message;  ///< for people: "motor position 81234 of axis 2 lies outside [0, 75308]"

    // With an axis only; steps (linear) or radians (ideal).
    double motor_position = 0.0;  ///< as requested; unreachable_angle: the end of the drive's reach
    double min_position = 0.0;    ///< lower limit of the motor position
    double max_position = 0.0;    ///< upper limit of the motor position
};

/// The pose of one mirror. Arrays of two: axis 1, axis 2.
struct AlignedMirror {
    /// 4 x 4 row-major: mirror frame (facets in e-n plane, normal up) to ENU
    std::array<double, 16> orientation{};
    std::array<double, 2> joint_angles{};     ///< radians
    std::array<double, 2> motor_positions{};  ///< steps (linear) or radians (ideal)
    std::array<bool, 2> within_limits{};      ///< within motor limits and the drive's reach
    bool converged = false;                   ///< the mirror reflects the light to its aim point

    /// Whether both drives take the mirror to its aim point.
    bool is_in_reach() const { return converged && within_limits[0] && within_limits[1]; }
};

/// The poses of N mirrors.
struct Alignment {
    std::vector<AlignedMirror> mirrors;  ///< in the order of the records
    std::vector<AlignmentIssue> issues;  ///< by heliostat, then axis
};

/// Points every mirror so that light of the incident direction, reflected at the mirror's origin,
/// meets the aim point.
///
/// The origin moves with the mirror, so each heliostat is iterated to consistency on its own
/// (normal within 1e-12, at most 50 passes). No bit of its result depends on the other heliostats,
/// their order or the number of threads. Motor positions and orientation always agree.
///
/// Rigid bodies take the natural branch; the rolled one only where meaningful limits exclude the
/// natural one and admit the rolled one.
///
/// incident_directions: propagation directions of sunlight, any length; one for all heliostats or
/// one for each. aim_points: metres, ENU; one for each. num_threads: at most so many; 0: one for
/// each core.
///
/// One core aligns 10,000 heliostats in 13 ms. aim_jacobian() has the derivatives of one.
///
/// Throws InputError when an incident direction has no length or an input is not finite, and
/// std::invalid_argument when numbers of inputs do not fit.
Alignment align_to_aim_points(std::span<const KinematicsRecord> records,
                              std::span<const Vec3> incident_directions,
                              std::span<const Vec3> aim_points,
                              int num_threads = 1);

/// Poses of mirrors for given motor positions, one pair for each record.
/// motor_jacobian() has the derivatives of one. Throws InputError when an input is not finite, and
/// std::invalid_argument when numbers of inputs do not fit.
Alignment align_to_motor_positions(std::span<const KinematicsRecord> records,
                                   std::span<const std::array<double, 2>> motor_positions,
                                   int num_threads = 1);

/// The same alignment with tracking errors: joint angles and orientation change, the commanded
/// motor positions stay. errors: radians, added to the joint angles; one pair for each record.
/// Throws as the above.
Alignment with_axis_errors(std::span<const KinematicsRecord> records,
                           Alignment alignment,
                           std::span<const std::array<double, 2>> errors,
                           int num_threads = 1);

}  // namespace helioray
