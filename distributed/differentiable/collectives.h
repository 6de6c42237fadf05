// SPDX-License-Identifier: MIT
// Differentiable collectives.
#pragma once

#include "distributed/ranks/process_group.h"

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <vector>

/// Collectives as operators of LibTorch's autograd. They are linear, change nothing in place and
/// can be differentiated any number of times.
///
/// The forward and the backward pass are collectives, which every rank of the group must run. So
/// the loss must depend on the result on every rank (through an empty slice or a product with zero
/// if necessary), and several collectives of a graph must depend on each other in the same order on
/// every rank.
///
/// Tensors may have any floating-point or complex type (sums: float64, float32, float16 and
/// bfloat16; the last two are added as float32), the same on every rank, on the CPU or this rank's
/// device. Errors are those of collectives.h. Groups may have one rank.
namespace helioray::differentiable {

/// Definition of the loss that is differentiated. A wrong choice scales the gradient by the size of
/// the group.
enum class Loss {
    /// Every rank computes the same loss from the same (replicated) result; it counts once.
    replicated,
    /// Every rank computes a different loss from the result; the loss is their sum.
    summed
};

// Mappings between replicated data (equal on every rank) and data that are divided over the ranks.

/// Returns a replicated tensor for different computations on each rank. Forward: identity.
/// Backward: sum over the ranks.
at::Tensor copy(const ProcessGroup& group, const at::Tensor& tensor);

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

/// Returns this rank's part of a replicated tensor along `dim`, divided as by partition_range().
/// Backward: concatenation of the parts of all ranks.
at::Tensor shard(const ProcessGroup& group, const at::Tensor& tensor, std::int64_t dim);

/// Returns the concatenation of the parts of all ranks on every rank. Their lengths along `dim` may
/// differ. Backward: this rank's part of the gradient (Loss::replicated) or of its sum over the
/// ranks (Loss::summed).
at::Tensor all_gather(const ProcessGroup& group,
                      const at::Tensor& tensor,
                      std::int64_t dim,
                      Loss loss);

// The following functions need no Loss: their backward pass is the exact adjoint, the gradient of
// the sum of the losses of all ranks.

/// Returns this rank's part of the sum over the ranks, divided along `dim` as by partition_range().
/// Backward: concatenation of the parts.
at::Tensor reduce_scatter(const ProcessGroup& group, const at::Tensor& tensor, std::int64_t dim);

/// Returns the root's tensor on every rank; the other ranks pass a tensor of the same shape.
/// Backward: the sum of the gradients on the root, zeros elsewhere.
at::Tensor broadcast(const ProcessGroup& group, const at::Tensor& tensor, int root = 0);

/// Returns the sum over the ranks on the root, zeros elsewhere. Backward: the root's gradient on
/// every rank.
at::Tensor reduce(const ProcessGroup& group, const at::Tensor& tensor, int root = 0);

/// Returns the concatenation of the parts of all ranks along `dim`, of any length, on the root, and
/// an empty tensor elsewhere, on which the loss must depend, too. Backward: scatter().
at::Tensor gather(const ProcessGroup& group,
                  const at::Tensor& tensor,
                  std::int64_t dim,
                  int root = 0);

/// Returns this rank's part of the root's tensor along `dim`. `lengths`, read on the root, holds
/// the length for each rank; if it is empty, the tensor is divided as by partition_range(). The
/// tensors of the other ranks only start their graphs; they need the same number of dimensions.
/// Backward: gather() on the root, zeros elsewhere.
at::Tensor scatter(const ProcessGroup& group,
                   const at::Tensor& tensor,
                   std::int64_t dim,
                   int root = 0,
                   std::vector<std::int64_t> lengths = {});

/// Redistributes an array that is divided along `joined` (parts of any length) so that it is
/// divided along `split`, as by partition_range(), and complete along `joined`. Backward: the
/// inverse redistribution.
at::Tensor transpose_shards(const ProcessGroup& group,
                            const at::Tensor& tensor,
                            std::int64_t split,
                            std::int64_t joined);

/// Exchanges slices as indexed_all_to_all() in collectives.h. Backward: the gradients of the slices
/// are sent back and added at their indices; an index may appear several times.
at::Tensor indexed_all_to_all(const ProcessGroup& group,
                              const at::Tensor& tensor,
                              const std::vector<at::Tensor>& indices,
                              std::int64_t dim = 0);

}  // namespace helioray::differentiable
