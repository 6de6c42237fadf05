// SPDX-License-Identifier: MIT
// Gradients of operators over ranks against differences and scalar products.
#pragma once

#include "distributed/differentiable/collectives.h"

#include <ATen/core/Tensor.h>

#include <functional>
#include <string>

namespace helioray::test {

/// An operator over a group, with this rank's input.
struct OperatorCase {
    std::string name;
    std::function<at::Tensor(const at::Tensor&)> apply;
    at::Tensor input;               ///< float64 or complex128
    bool replicated_input = false;  ///< every rank has the same; a gradient counts once
    bool replicated_loss = false;   ///< every rank has the same result; it counts once
};

/// Random numbers, the same for one seed everywhere.
at::Tensor random_like(const at::Tensor& tensor, std::int64_t seed);

/// Throws unless, for a loss that is not linear in the result and differs between ranks (the same
/// on all for replicated_loss), gradients agree with central differences in two random directions
/// of all ranks' inputs, and, where the loss is a sum, second derivatives with differences of
/// gradients.
void check_gradient(const ProcessGroup& group, const OperatorCase& test);

/// Throws unless <u, A x> = <A^T u, x>, summed over the ranks, for a random u.
void check_adjoint(const ProcessGroup& group, const OperatorCase& test);

}  // namespace helioray::test
