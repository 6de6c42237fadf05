// SPDX-License-Identifier: MIT
// Points or directions of many rays as three tensors, one per axis.
#pragma once

#include <ATen/TensorOperators.h>
#include <ATen/core/Tensor.h>

#include <array>

namespace helioray::artist {

/// East, north and up of points or directions; three tensors of one (or broadcastable) shape.
using Components = std::array<at::Tensor, 3>;

/// The last axis of [..., >= 3] taken apart; copies, so that every component is contiguous.
inline Components split(const at::Tensor& vectors) {
    return {vectors.select(-1, 0).contiguous(),
            vectors.select(-1, 1).contiguous(),
            vectors.select(-1, 2).contiguous()};
}

inline at::Tensor dot(const Components& a, const Components& b) {
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

/// Product with a constant vector.
inline at::Tensor dot(const Components& a, const std::array<float, 3>& b) {
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

}  // namespace helioray::artist
