// SPDX-License-Identifier: MIT
// Nodes of Torch's autograd graph whose backward function calls an operator. They also work inside
// torch.func and torch.compile, unlike torch::autograd::Function.
#pragma once

#include <ATen/core/Tensor.h>
#include <c10/util/Exception.h>

#include <exception>
#include <functional>
#include <new>
#include <vector>

namespace helioray::operators {

using Tensors = std::vector<at::Tensor>;

/// Returns the derivatives of the loss with respect to the inputs (undefined for inputs without)
/// from those with respect to the outputs.
using BackwardFunction = std::function<Tensors(const Tensors& gradients, const Tensors& inputs)>;

/// Returns the outputs of `forward`, which is called below autograd, with graph nodes for the
/// inputs that require a gradient. name: name of the operator for messages. Throws c10::Error for
/// forward-mode derivatives, which no operator supports.
Tensors with_backward(const char* name,
                      const Tensors& inputs,
                      const std::function<Tensors()>& forward,
                      BackwardFunction backward);

/// Like with_backward(), for an operator that is itself a backward pass: requesting a second
/// derivative throws an error with `reason`.
Tensors without_second_derivative(const char* name,
                                  const char* reason,
                                  const Tensors& inputs,
                                  const std::function<Tensors()>& forward);

/// Reason of operators that Torch's own graph differentiates outside of transforms.
inline constexpr const char* kFirstDerivativesOnly =
    "inside torch.func and torch.compile it has first derivatives only, outside of any order";

/// Returns true for plain tensors with data: no fake tensors, no transforms of torch.func, no modes
/// that intercept operators.
bool are_plain(const Tensors& tensors);

/// Returns the gradients of the function's outputs with respect to its inputs by computing the
/// outputs again, for kernels that run below autograd. Inputs without influence have zeros.
Tensors gradients_by_recomputing(const std::function<Tensors(const Tensors&)>& function,
                                 const Tensors& inputs,
                                 const Tensors& gradients);

/// Calls a function and converts the exceptions of lower layers to c10::Error.
template <typename Function>
auto with_torch_errors(Function function) {
    try {
        return function();
    } catch (const c10::Error&) {
        throw;
    } catch (const std::bad_alloc&) {
        TORCH_CHECK_WITH(OutOfMemoryError, false, "there is not enough memory");
    } catch (const std::exception& error) {
        TORCH_CHECK(false, error.what());
    }
}

}  // namespace helioray::operators
