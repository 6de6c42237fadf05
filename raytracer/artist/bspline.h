// SPDX-License-Identifier: MIT
// Clamped uniform B-splines: knots, spans, basis functions and surface points (P4: weights are 1).
#pragma once

#include <ATen/core/Tensor.h>

#include <vector>

namespace helioray::artist {

/// degree zeros, then n - degree + 1 equidistant values from 0 to 1, then degree ones.
std::vector<float> clamped_knots(int64_t num_control_points, int64_t degree);

/// Knot span of t in [0, 1).
int64_t knot_span(float t, int64_t num_control_points, int64_t degree);

/// Basis functions of all control points at given parameters.
struct Basis {
    at::Tensor value;       ///< float32 [T, n]
    at::Tensor derivative;  ///< float32 [T, n]
};
Basis evaluate_basis(const std::vector<float>& parameters,
                     int64_t num_control_points,
                     int64_t degree);

/// Points and unit normals of a facet.
struct SurfacePoints {
    at::Tensor points;   ///< float32 [P, 4] metres, last = 1
    at::Tensor normals;  ///< float32 [P, 4] unit, last = 0
};

/// The tensor product surface on all pairs of the parameters the bases were evaluated at, u
/// outermost.
/// @param control_points float32 [nu, nv, 3] metres
SurfacePoints evaluate_surface(const at::Tensor& control_points, const Basis& u, const Basis& v);

}  // namespace helioray::artist
