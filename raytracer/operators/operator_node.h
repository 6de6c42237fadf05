// SPDX-License-Identifier: MIT
// Nodes of Torch's graph whose backward calls an operator. They work as the nodes of Torch's own
// operators do, also inside torch.func and torch.compile, where torch::autograd::Function does not.
#pragma once

#include <ATen/core/Tensor.h>
#include <c10/util/Exception.h>

#include <exception>
#include <functional>
#include <new>
#include <vector>

namespace helioray::operators {

using Tensors = std::vector<at::Tensor>;

/// Derivatives of the loss by the inputs (undefined for those without) from its derivatives by the
/// outputs.
using BackwardFunction = std::function<Tensors(const Tensors& gradients, const Tensors& inputs)>;

/// The outputs of `forward`, which is called below autograd, connected with those of the inputs
/// that require a gradient. name: of the operator, for messages. Throws c10::Error for forward-mode
/// derivatives, which no operator here has.
Tensors with_backward(const char* name,
                      const Tensors& inputs,
                      const std::function<Tensors()>& forward,
                      BackwardFunction backward);

/// with_backward for an operator that is itself a backward: asking for a second derivative ends
/// with the reason in words.
Tensors without_second_derivative(const char* name,
                                  const char* reason,
                                  const Tensors& inputs,
                                  const std::function<Tensors()>& forward);

/// The reason of operators that Torch's own graph differentiates wherever it can look inside.
inline constexpr const char* kFirstDerivativesOnly =
    "inside torch.func and torch.compile it has first derivatives only, outside of any order";

/// Tensors with data and nothing around them: no fake tensors, no transforms of torch.func, no
/// modes that watch operators.
bool are_plain(const Tensors& tensors);

/// Gradients of the function's outputs by its inputs, for kernels that run below autograd: computes
/// the outputs again. Zeros where an input has no influence.
Tensors gradients_by_recomputing(const std::function<Tensors(const Tensors&)>& function,
                                 const Tensors& inputs,
                                 const Tensors& gradients);

/// Runs a function of the library below, whose errors become c10::Error.
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
