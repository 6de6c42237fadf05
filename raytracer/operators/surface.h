// SPDX-License-Identifier: MIT
// helioray::nurbs_surface: points and normals of B-spline surfaces.
#pragma once

#include <ATen/core/Tensor.h>

#include <array>
#include <cstdint>
#include <utility>

namespace helioray::operators {

/// The non-zero basis functions at given parameters.
struct BSplineBasis {
    at::Tensor first;        ///< index of the first non-zero function (span - degree), [P] int64
    at::Tensor values;       ///< [P, degree + 1]
    at::Tensor derivatives;  ///< derivatives with respect to the parameter, [P, degree + 1]
};

/// Returns the basis functions at parameters [P] (float64, in [0, 1], both ends included) by the
/// Cox-de Boor recursion (Piegl and Tiller, The NURBS Book, A2.2 and equation 2.7). Differentiable
/// in the parameters. Throws c10::Error for parameters outside [0, 1], degree < 1 or too few
/// control points.
BSplineBasis bspline_basis(const at::Tensor& parameters,
                           int64_t num_control_points,
                           int64_t degree);

/// Points of a surface with tangents and normals; the leading dimensions are those of the control
/// points.
struct SurfacePoints {
    at::Tensor points;     ///< [..., P, 3]
    at::Tensor tangent_u;  ///< derivative with respect to u, [..., P, 3]
    at::Tensor tangent_v;  ///< derivative with respect to v, [..., P, 3]
    at::Tensor normals;    ///< [..., P, 3] unit, along tangent_u x tangent_v
};

/// Evaluates surfaces. control_points: [..., nu, nv, 3] float64; uv: [P, 2] float64 in [0, 1], u
/// along the first index (east), v along the second (north). Differentiable in the control points
/// and in uv.
SurfacePoints evaluate_bspline(const at::Tensor& control_points,
                               std::array<int64_t, 2> degrees,
                               const at::Tensor& uv);

/// Returns points and unit normals [..., P, 3] at the parameters u and v ([P] each, in [0, 1]; u
/// along the first index, east) of surfaces with clamped, equidistant knots. control_points: [...,
/// nu, nv, 3]; all float64. Implemented with ATen operators, so it is differentiable in all tensors
/// any number of times (once inside torch.func and torch.compile). Throws c10::Error for shapes,
/// degrees and parameters outside their range.
std::pair<at::Tensor, at::Tensor> nurbs_surface(const at::Tensor& control_points,
                                                const at::Tensor& u,
                                                const at::Tensor& v,
                                                std::array<int64_t, 2> degrees);

}  // namespace helioray::operators
