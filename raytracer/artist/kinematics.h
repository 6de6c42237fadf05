// SPDX-License-Identifier: MIT
// Forward and inverse kinematics of a rigid body with two joints.
#pragma once

#include "raytracer/artist/parameters.h"

#include <ATen/core/Tensor.h>

namespace helioray::artist {

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

}  // namespace helioray::artist
