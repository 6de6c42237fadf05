// SPDX-License-Identifier: MIT
// Kinematics of heliostats with two joints, as ARTIST has them: parameters, actuators, joints,
// alignment.
#pragma once

#include "scenario/types.h"

#include <ATen/core/Tensor.h>

#include <vector>

namespace helioray::artist {

/// All float32 on the CPU, one row per active sample; columns of the [N, 2] tensors are axis 1 and
/// axis 2.
struct Parameters {
    bool linear = false;        ///< linear or ideal actuators, the same for the whole group
    at::Tensor position;        ///< [N, 4] metres, last = 1
    at::Tensor translation;     ///< [N, 9] metres: first joint, second joint, concentrator
    at::Tensor rotation;        ///< [N, 4] radians: first joint n, u; second joint e, n
    at::Tensor clockwise;       ///< [N, 2] bool
    at::Tensor minimum;         ///< [N, 2] smallest motor position
    at::Tensor maximum;         ///< [N, 2]
    at::Tensor initial_angle;   ///< [N, 2] radians; linear: pi/2 is subtracted from axis 1
    at::Tensor initial_stroke;  ///< [N, 2] metres; linear only, like all below
    at::Tensor increment;       ///< [N, 2] steps per metre
    at::Tensor offset;          ///< [N, 2] metres
    at::Tensor pivot_radius;    ///< [N, 2] metres
};

/// Parameters of the named heliostats (indices into the scenario, repetition allowed).
/// Initial orientations have no influence (P10).
Parameters load_parameters(const Scenario& scenario, const std::vector<size_t>& heliostats);

/// The given rows of all tensors; index int64 [M].
Parameters select_rows(const Parameters& all, const at::Tensor& index);

/// Joint angles [N, 2] (radians) of motor positions [N, 2]. Linear: triangle of offset, pivot
/// radius and stroke, every length and the increment shifted by a softplus (P9); positions that the
/// triangle cannot reach are clamped (P8). Ideal: the motor position itself, whatever the turning
/// direction.
at::Tensor joint_angles(const Parameters& p, const at::Tensor& motor_positions);

/// Motor positions [N, 2] of joint angles [N, 2]; angles out of reach are clamped or folded (P8),
/// limits ignored (P12).
at::Tensor motor_positions(const Parameters& p, const at::Tensor& angles);

/// Orientation O [N, 4, 4] without the turn of the surface: maps the reference (mirror normal
/// south) to ENU. O = T(position) J1 J2 T(concentrator), see the physics of ARTIST, forward
/// kinematics.
at::Tensor forward(const Parameters& p, const at::Tensor& motor_positions);

/// O R_e(pi/2): the matrix that is applied to the surface, which lies flat with its normal up.
at::Tensor surface_orientation(const at::Tensor& orientation);

struct InverseSolution {
    at::Tensor motor_positions;  ///< [N, 2]
    at::Tensor out_of_range;     ///< [N] bool: neither solution lies within the motor limits (P12)
};

/// Motor positions that turn the mirror normal to `normal` [N, 4]. The natural solution where its
/// motor positions are within their limits, otherwise the second one, which rolls the mirror by pi
/// about its normal (P11), valid or not (P12).
InverseSolution inverse(const Parameters& p, const at::Tensor& normal);

struct Alignment {
    at::Tensor orientation;      ///< [N, 4, 4] mirror frame (normal up) to ENU
    at::Tensor motor_positions;  ///< [N, 2]
    at::Tensor out_of_range;     ///< [N] bool: no solution within the motor limits (P12)
    std::vector<at::Tensor> motor_positions_per_pass;  ///< given to each forward evaluation
    int64_t inverse_evaluations = 0;
};

/// At most four passes of forward and inverse kinematics from motor positions 0, so that the mirror
/// reflects the sun from its own (moving) origin to the aim point. All rows stop together, when no
/// row's normal error changed by more than 1e-4 (P14); without convergence the motor positions are
/// one step ahead of the orientation (P13).
/// @param incident  [N, 4] propagation direction of sunlight, unit, last = 0
/// @param aim_point [N, 4] metres, last = 1
Alignment align_to_aim_points(const Parameters& p,
                              const at::Tensor& incident,
                              const at::Tensor& aim_point);

/// Orientation of given motor positions [N, 2]; no limits checked.
Alignment align_to_motor_positions(const Parameters& p, const at::Tensor& motor_positions);

}  // namespace helioray::artist
