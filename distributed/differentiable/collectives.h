// SPDX-License-Identifier: MIT
// Differentiable sums over ranks.
#pragma once

#include "distributed/ranks/process_group.h"

#include <ATen/core/Tensor.h>

/// Sums over ranks as operators of LibTorch's autograd. They are linear, change nothing in place
/// and can be differentiated any number of times.
///
/// The forward and the backward pass are collectives, which every rank of the group must run. So
/// the loss must depend on the result on every rank (through an empty slice or a product with zero
/// if necessary), and several collectives of a graph must depend on each other in the same order on
/// every rank.
///
/// Tensors are float64, float32, float16 or bfloat16 (the last two are added as float32), the same
/// type on every rank, on the CPU or this rank's device. Errors are those of all_reduce(). Groups
/// may have one rank.
namespace helioray::differentiable {

/// Definition of the loss that is differentiated. A wrong choice scales the gradient by the size of
/// the group.
enum class Loss {
    /// Every rank computes the same loss from the same (replicated) result; it counts once.
    replicated,
    /// Every rank computes a different loss from the result; the loss is their sum.
    summed
};

/// Returns the sum over the ranks on every rank. Backward: identity (Loss::replicated) or sum over
/// the ranks (Loss::summed).
at::Tensor sum(const ProcessGroup& group, const at::Tensor& tensor, Loss loss);

/// Returns the sum [...] of the contributions [n, ...], n >= 0, of all ranks on every rank. Its
/// bits do not depend on the division of the contributions over the ranks: each is rounded to a
/// multiple of 2^-bits and added as an integer. float64 or float32; fixed_point_bits() in
/// collectives.h returns `bits` for a bound of the sum. Backward: as sum(), equal for every
/// contribution.
at::Tensor exact_sum(const ProcessGroup& group,
                     const at::Tensor& contributions,
                     int bits,
                     Loss loss);

}  // namespace helioray::differentiable
