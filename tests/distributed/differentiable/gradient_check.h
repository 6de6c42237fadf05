// SPDX-License-Identifier: MIT
// Compares gradients of operators over several ranks with finite differences and scalar products.
#pragma once

#include "distributed/differentiable/collectives.h"

#include <ATen/core/Tensor.h>

#include <functional>
#include <string>

namespace helioray::test {

/// An operator over a group, with this rank's input.
struct OperatorCase {
    std::string name;  ///< name for messages
    std::function<at::Tensor(const at::Tensor&)> apply;
    at::Tensor input;              ///< float64
    bool replicated_loss = false;  ///< every rank has the same result; it counts once
};

/// Returns pseudo-random numbers of the shape of `tensor`; equal seeds give equal numbers on every
/// rank.
at::Tensor random_like(const at::Tensor& tensor, std::int64_t seed);

/// Throws unless the gradients of a quadratic loss, different on each rank except for
/// replicated_loss, agree with central differences along two random directions of the inputs of all
/// ranks. If the loss is not replicated, also compares second derivatives with differences of
/// gradients.
void check_gradient(const ProcessGroup& group, const OperatorCase& test);

/// Throws unless <u, A x> = <A^T u, x>, summed over the ranks, for random u.
void check_adjoint(const ProcessGroup& group, const OperatorCase& test);

}  // namespace helioray::test
