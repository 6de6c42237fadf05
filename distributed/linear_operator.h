// SPDX-License-Identifier: MIT
// A linear map with a given adjoint, as an operator of autograd.
#pragma once

#include <ATen/core/Tensor.h>

#include <functional>
#include <string>

namespace helioray::detail {

/// Works on tensors whose gradients are not recorded.
using LinearMap = std::function<at::Tensor(const at::Tensor&)>;

/// forward(input), with `adjoint` for gradients, and `forward` again for gradients of these. Throws
/// std::invalid_argument, beginning with `name`, unless the input is of a floating-point or complex
/// type.
at::Tensor apply_linear(const std::string& name,
                        const at::Tensor& input,
                        LinearMap forward,
                        LinearMap adjoint);

}  // namespace helioray::detail
