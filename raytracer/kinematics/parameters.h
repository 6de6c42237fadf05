// SPDX-License-Identifier: MIT
// What the kinematics of a batch of heliostats depend on, as tensors: every floating-point one may
// require a gradient.
#pragma once

#include "scenario/types.h"

#include <ATen/core/Tensor.h>

#include <vector>

namespace helioray {

/// Drives of N heliostats; all tensors [N, 2], columns axis 1 and axis 2, float64 unless said
/// otherwise. Entries that only linear drives have are ignored where is_linear is false.
struct ActuatorParameters {
    at::Tensor is_linear;  ///< bool; false: ideal, the motor position is the joint angle in radians
    at::Tensor clockwise;  ///< bool; linear only, see Actuator
    at::Tensor increment;  ///< steps per metre of stroke; linear only
    at::Tensor offset;     ///< metres; linear only
    at::Tensor pivot_radius;    ///< metres; linear only
    at::Tensor initial_stroke;  ///< metres, stroke at motor position 0; linear only
    at::Tensor initial_angle;   ///< radians, joint angle at motor position 0; linear only
    at::Tensor min_position;    ///< steps (linear) or radians (ideal)
    at::Tensor max_position;    ///< steps (linear) or radians (ideal)
};

/// Kinematics of N heliostats, float64 unless said otherwise. Types may be mixed.
struct KinematicsParameters {
    at::Tensor types;      ///< [N] int64, values of KinematicsType
    at::Tensor positions;  ///< [N, 3] metres, ENU
    /// [N, 9] metres: first joint e n u, second joint e n u, concentrator e n u
    at::Tensor translations;
    /// [N, 4] radians: first joint tilt n, u; second joint tilt e, n
    at::Tensor rotations;
    /// Drives of the same heliostats.
    ActuatorParameters actuators;

    /// N
    int64_t size() const { return positions.size(0); }
};

/// Parameters of the given heliostats of a scenario, in the order of `heliostats` (indices may
/// repeat); float64 on the CPU.
///
/// The initial angle of axis 1 of linear drives of rigid bodies is reduced by pi/2, because files
/// state it for a mirror that lies flat at angle 0 while the joint angles are zero for a mirror
/// that faces south.
///
/// Throws InputError, listing every problem: linear drives whose triangle does not exist, and
/// azimuth-elevation kinematics with joint deviations (they have none besides the concentrator
/// translation).
KinematicsParameters kinematics_parameters(const Scenario& scenario,
                                           const std::vector<size_t>& heliostats);

/// Rows `indices` ([M] int64) of every tensor; differentiable.
ActuatorParameters select(const ActuatorParameters& parameters, const at::Tensor& indices);
/// The same with the drives.
KinematicsParameters select(const KinematicsParameters& parameters, const at::Tensor& indices);

/// The drive parameters that ARTIST 2.0.0 computes with: softplus (sharpness 100) + 1e-6 of
/// increment, offset, pivot radius and initial stroke. It moves valid parameters a little (an
/// initial stroke of 0.0774 m by 5 micrometres, which is 0.8 motor steps), so this is for
/// comparisons with ARTIST only.
ActuatorParameters artist_effective_parameters(const ActuatorParameters& parameters);

}  // namespace helioray
