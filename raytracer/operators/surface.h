// SPDX-License-Identifier: MIT
// helioray::nurbs_surface: points and normals of B-spline surfaces.
#pragma once

#include <ATen/core/Tensor.h>

#include <array>
#include <utility>

namespace helioray::operators {

/// Points and unit normals [..., P, 3] at the parameters u and v ([P] each, in [0, 1]; u along the
/// first index, east) of surfaces with clamped, equidistant knots. control_points:
/// [..., nu, nv, 3]; all float64. Made of ATen operators, differentiable in all tensors any number
/// of times (once inside torch.func and torch.compile). Throws c10::Error for shapes, degrees and
/// parameters outside of their range.
std::pair<at::Tensor, at::Tensor> nurbs_surface(const at::Tensor& control_points,
                                                const at::Tensor& u,
                                                const at::Tensor& v,
                                                std::array<int64_t, 2> degrees);

}  // namespace helioray::operators
