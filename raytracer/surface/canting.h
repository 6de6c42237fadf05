// SPDX-License-Identifier: MIT
// Canting: the rotation of a facet given by its two half-extent vectors.
#pragma once

#include <ATen/core/Tensor.h>

namespace helioray {

/// Rotation from the facet frame to the mirror frame. Columns: e along canting_e, u normal to both
/// vectors, n = u x e. canting_e, canting_n: [..., 3]. Returns [..., 3, 3]; differentiable.
at::Tensor canting_rotation(const at::Tensor& canting_e, const at::Tensor& canting_n);

/// Turns vectors [..., P, 3] of the facet frame into the mirror frame; rotation [..., 3, 3].
at::Tensor apply_canting(const at::Tensor& rotation, const at::Tensor& vectors);

/// Turns vectors [..., P, 3] of the mirror frame into the facet frame; inverse of apply_canting.
at::Tensor undo_canting(const at::Tensor& rotation, const at::Tensor& vectors);

/// Equidistant control points of a flat facet in its own frame, over +-|canting_e| by
/// +-|canting_n|: [..., nu, nv, 3]. canting_e, canting_n: [..., 3]; nu, nv >= 2.
at::Tensor planar_control_points(const at::Tensor& canting_e,
                                 const at::Tensor& canting_n,
                                 int64_t nu,
                                 int64_t nv);

}  // namespace helioray
