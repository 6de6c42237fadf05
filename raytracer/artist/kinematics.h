// SPDX-License-Identifier: MIT
// Kinematics of heliostats with two joints as in ARTIST: parameters, actuators, joints, alignment.
#pragma once

#include "scenario/types/types.h"

#include <ATen/core/Tensor.h>

#include <vector>

namespace helioray::artist {

/// Kinematics parameters. All tensors are float32 on the CPU, with one row per active sample;
/// columns of the [N, 2] tensors are axis 1 and axis 2.
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

/// Returns the parameters of the given heliostats (indices into the scenario, repetition allowed).
/// Initial orientations have no influence (P10).
Parameters load_parameters(const Scenario& scenario, const std::vector<size_t>& heliostats);

/// Returns the given rows of all tensors; index int64 [M].
Parameters select_rows(const Parameters& all, const at::Tensor& index);

/// Returns the joint angles [N, 2] (radians) of motor positions [N, 2]. Linear: triangle of offset,
/// pivot radius and stroke, every length and the increment shifted by a softplus (P9); positions
/// that the triangle cannot reach are clamped (P8). Ideal: the motor position itself, for either
/// turning direction.
at::Tensor joint_angles(const Parameters& p, const at::Tensor& motor_positions);

/// Returns the motor positions [N, 2] of joint angles [N, 2]. Angles out of reach are clamped or
/// folded (P8), limits are ignored (P12).
at::Tensor motor_positions(const Parameters& p, const at::Tensor& angles);

/// Returns the orientation O [N, 4, 4] without the turn of the surface, which maps the reference
/// (mirror normal south) to ENU. O = T(position) J1 J2 T(concentrator), see the forward kinematics
/// in the physics of ARTIST.
at::Tensor forward(const Parameters& p, const at::Tensor& motor_positions);

/// Returns O R_e(pi/2), the matrix for the surface, which lies flat with its normal up.
at::Tensor surface_orientation(const at::Tensor& orientation);

struct InverseSolution {
    at::Tensor motor_positions;  ///< [N, 2]
    at::Tensor out_of_range;     ///< [N] bool: neither solution lies within the motor limits (P12)
};

/// Returns the motor positions that turn the mirror normal to `normal` [N, 4]. This is the natural
/// solution if its motor positions are within their limits, otherwise the second one, which rolls
/// the mirror by pi about its normal (P11), valid or not (P12).
InverseSolution inverse(const Parameters& p, const at::Tensor& normal);

struct Alignment {
    at::Tensor orientation;      ///< [N, 4, 4] mirror frame (normal up) to ENU
    at::Tensor motor_positions;  ///< [N, 2]
    at::Tensor out_of_range;     ///< [N] bool: no solution within the motor limits (P12)
    /// Motor positions of each forward evaluation.
    std::vector<at::Tensor> motor_positions_per_pass;
    int64_t inverse_evaluations = 0;
};

/// Performs at most four passes of forward and inverse kinematics from motor positions 0, so that
/// the mirror reflects the sun from its own (moving) origin to the aim point. All rows stop
/// together when no row's normal error changed by more than 1e-4 (P14). Without convergence the
/// motor positions are one step ahead of the orientation (P13).
/// @param incident  [N, 4] propagation direction of sunlight, unit, last = 0
/// @param aim_point [N, 4] metres, last = 1
Alignment align_to_aim_points(const Parameters& p,
                              const at::Tensor& incident,
                              const at::Tensor& aim_point);

/// Returns the orientation of given motor positions [N, 2]; limits are not checked.
Alignment align_to_motor_positions(const Parameters& p, const at::Tensor& motor_positions);

}  // namespace helioray::artist
