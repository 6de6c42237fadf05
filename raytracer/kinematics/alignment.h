// SPDX-License-Identifier: MIT
// Alignment: how mirrors stand for a sun direction and aim points, or for given motor positions.
#pragma once

#include "raytracer/kinematics/parameters.h"

#include <string>
#include <vector>

namespace helioray {

/// Something a heliostat of the batch cannot do as asked, or that users should know.
struct AlignmentIssue {
    /// What is the matter, and what was done about it.
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

/// How N mirrors stand.
struct Alignment {
    at::Tensor orientation;      ///< [N, 4, 4] mirror frame (facets in e-n plane, normal up) -> ENU
    at::Tensor joint_angles;     ///< [N, 2] radians
    at::Tensor motor_positions;  ///< [N, 2] steps (linear) or radians (ideal)
    at::Tensor within_limits;    ///< [N, 2] bool: within motor limits and the drive's reach
    at::Tensor converged;        ///< [N] bool: the mirror reflects the light to its aim point
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
/// incident_direction: [3] or [N, 3], propagation direction of sunlight, any length.
/// aim_points: [N, 3] metres, ENU. Both float64, on the parameters' device.
///
/// Differentiable in these and in all parameters. Throws InputError when an incident direction has
/// no length or an input is not finite.
Alignment align_to_aim_points(const KinematicsParameters& parameters,
                              const at::Tensor& incident_direction,
                              const at::Tensor& aim_points);

/// Orientation for motor positions [N, 2] (float64). Differentiable in these and in all parameters.
/// Throws InputError when an input is not finite.
Alignment align_to_motor_positions(const KinematicsParameters& parameters,
                                   const at::Tensor& motor_positions);

/// The same alignment with tracking errors: joint angles and orientation change, the commanded
/// motor positions stay. errors: [N, 2] radians, added to the joint angles; differentiable.
Alignment with_axis_errors(const KinematicsParameters& parameters,
                           const Alignment& alignment,
                           const at::Tensor& errors);

}  // namespace helioray
