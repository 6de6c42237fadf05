// SPDX-License-Identifier: MIT
// Elementary 4 x 4 transforms, batched, and small vector helpers whose gradients stay finite.
#pragma once

#include <ATen/core/Tensor.h>

namespace helioray {

/// Rotation about east: rows (1, 0, 0), (0, c, -s), (0, s, c). Right-handed.
/// angle: [...] radians. Returns [..., 4, 4], differentiable in the angle.
at::Tensor rotate_e(const at::Tensor& angle);

/// Rotation about north with ARTIST's sign: rows (c, 0, -s), (0, 1, 0), (s, 0, c). This is the
/// inverse of the right-handed rotation; every tilt about north in a scenario file has this sign,
/// so it is kept. angle: [...] radians. Returns [..., 4, 4], differentiable in the angle.
at::Tensor rotate_n(const at::Tensor& angle);

/// Rotation about up: rows (c, -s, 0), (s, c, 0), (0, 0, 1). Right-handed.
/// angle: [...] radians. Returns [..., 4, 4], differentiable in the angle.
at::Tensor rotate_u(const at::Tensor& angle);

/// Translation. offset: [..., 3] metres. Returns [..., 4, 4], differentiable in the offset.
at::Tensor translate(const at::Tensor& offset);

/// 4 x 4 matrix with the given columns (directions) and origin. All [..., 3]; returns [..., 4, 4].
at::Tensor rigid_transform(const at::Tensor& e,
                           const at::Tensor& n,
                           const at::Tensor& u,
                           const at::Tensor& origin);

/// Result of normalise_or.
struct UnitVectors {
    at::Tensor vectors;  ///< [..., 3]
    at::Tensor valid;    ///< [...] bool: the length was above the limit
};

/// Unit vectors of `vectors` [..., 3]; where one is shorter than `shortest`, `fallback` [3] and no
/// gradient.
UnitVectors normalise_or(const at::Tensor& vectors, const at::Tensor& fallback, double shortest);

/// atan2 that answers `undefined` with a zero gradient at (0, 0) instead of an undefined one.
at::Tensor angle_of(const at::Tensor& y, const at::Tensor& x, double undefined);

}  // namespace helioray
