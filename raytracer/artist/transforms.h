// SPDX-License-Identifier: MIT
// Elementary 4 x 4 transforms of column vectors, and their combination for ray distortions.
#pragma once

#include "raytracer/artist/components.h"

#include <ATen/core/Tensor.h>

namespace helioray::artist {

/// Rotation about east: angle [N] radians -> [N, 4, 4].
at::Tensor rotate_e(const at::Tensor& angle);
/// Rotation about north with ARTIST's sign, opposite to a right-handed rotation (P3).
at::Tensor rotate_n(const at::Tensor& angle);
/// Rotation about up.
at::Tensor rotate_u(const at::Tensor& angle);
/// Translation by e, n, u [N] metres -> [N, 4, 4].
at::Tensor translate(const at::Tensor& e, const at::Tensor& n, const at::Tensor& u);

/// Directions turned first about the world's up, then about its east axis (P17: not about axes
/// across the ray).
/// @param direction components of any shape that broadcasts with the angles
/// @param east, up  radians, [R, P]
Components distort(const Components& direction, const at::Tensor& east, const at::Tensor& up);

/// v / max(|v|, 1e-12) over the last axis.
at::Tensor normalized(const at::Tensor& vectors);

}  // namespace helioray::artist
