// SPDX-License-Identifier: MIT
// Vectors as three components, elementary 4 x 4 transforms, and their combination for ray
// distortions.
#pragma once

#include <ATen/TensorOperators.h>
#include <ATen/core/Tensor.h>

#include <array>

namespace helioray::artist {

/// East, north and up components of points or directions; three tensors of one (or broadcastable)
/// shape.
using Components = std::array<at::Tensor, 3>;

/// Splits the last axis of [..., >= 3] into contiguous copies of its components.
inline Components split(const at::Tensor& vectors) {
    return {vectors.select(-1, 0).contiguous(),
            vectors.select(-1, 1).contiguous(),
            vectors.select(-1, 2).contiguous()};
}

inline at::Tensor dot(const Components& a, const Components& b) {
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

/// Returns the product with a constant vector.
inline at::Tensor dot(const Components& a, const std::array<float, 3>& b) {
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

/// Rotation about east: angle [N] radians -> [N, 4, 4].
at::Tensor rotate_e(const at::Tensor& angle);
/// Rotation about north with ARTIST's sign, opposite to a right-handed rotation (P3).
at::Tensor rotate_n(const at::Tensor& angle);
/// Rotation about up.
at::Tensor rotate_u(const at::Tensor& angle);
/// Translation by e, n, u [N] metres -> [N, 4, 4].
at::Tensor translate(const at::Tensor& e, const at::Tensor& n, const at::Tensor& u);

/// Turns directions first about the world's up axis, then about its east axis (P17: not about axes
/// perpendicular to the ray).
/// @param direction components of any shape that broadcasts with the angles
/// @param east, up  radians, [R, P]
Components distort(const Components& direction, const at::Tensor& east, const at::Tensor& up);

/// Returns M v for the rows v of vectors [P, 4], M [4, 4]; term by term, so that rounding does not
/// depend on threads.
at::Tensor transformed(const at::Tensor& vectors, const at::Tensor& matrix);

/// Returns v / max(|v|, 1e-12) over the last axis.
at::Tensor normalized(const at::Tensor& vectors);

}  // namespace helioray::artist
