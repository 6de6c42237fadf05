// SPDX-License-Identifier: MIT
// Collectives that gradients flow through.
#pragma once

#include "distributed/process_group.h"

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <vector>

/// Collectives as operators of LibTorch's autograd. Nothing is changed in place; all are linear,
/// and can be differentiated any number of times. Forward and backward are collectives: every rank
/// of the group runs both, so on every rank the result must reach the loss (an empty slice may; a
/// product with zero does), and several collectives of one graph must depend on each other in the
/// same order everywhere. Tensors are of any floating-point or complex type (sums: float64,
/// float32, and float16 and bfloat16, which are added as float32), on the CPU or this rank's
/// device; the type is the same everywhere. Errors as in collectives.h. Every group will do, also
/// one of a single rank.
namespace helioray::differentiable {

/// Which loss is differentiated. A wrong choice scales the gradient by the size of the group.
enum class Loss {
    /// Every rank computes the same loss from the same (replicated) result, and it counts once.
    replicated,
    /// Ranks go on differently from the result, and the loss is the sum of the losses of all ranks.
    summed
};

// The four mappings between data that every rank has and data that are divided.

/// Replicated -> work of each rank. Forward: the tensor itself. Backward: sum over the ranks.
at::Tensor copy(const ProcessGroup& group, const at::Tensor& tensor);

/// Work of each rank -> total on every rank. Forward: sum over the ranks. Backward: the gradient
/// itself (replicated), or its sum over the ranks (summed).
at::Tensor sum(const ProcessGroup& group, const at::Tensor& tensor, Loss loss);

/// Contributions [n, ...] of each rank, n >= 0 -> their total [...] on every rank, with the same
/// bits however the contributions are divided over the ranks: each is rounded to a multiple of
/// 2^-bits and added as an integer. float64 or float32; fixed_point_bits() of collectives.h gives
/// `bits` for a bound of the total. Backward: as sum(), the same for every contribution.
at::Tensor exact_sum(const ProcessGroup& group,
                     const at::Tensor& contributions,
                     int bits,
                     Loss loss);

/// Replicated -> this rank's part along `dim`, as partition_range cuts it. Backward: the parts of
/// all ranks, put together.
at::Tensor shard(const ProcessGroup& group, const at::Tensor& tensor, std::int64_t dim);

/// Parts, which may be of different length along `dim` -> the whole on every rank. Backward: this
/// rank's part of the gradient (replicated), or of its sum over the ranks (summed).
at::Tensor all_gather(const ProcessGroup& group,
                      const at::Tensor& tensor,
                      std::int64_t dim,
                      Loss loss);

// True adjoints of each other in any case: gradients of the sum of all ranks' losses.

/// This rank's part, as partition_range cuts it, of the sum over the ranks.
at::Tensor reduce_scatter(const ProcessGroup& group, const at::Tensor& tensor, std::int64_t dim);

/// Root's tensor on every rank; the others give one of the same shape. Backward: the sum of the
/// gradients on root, zeros elsewhere.
at::Tensor broadcast(const ProcessGroup& group, const at::Tensor& tensor, int root = 0);

/// The sum on root, zeros elsewhere. Backward: root's gradient on every rank.
at::Tensor reduce(const ProcessGroup& group, const at::Tensor& tensor, int root = 0);

/// The parts of all ranks along `dim`, of any length, on root; elsewhere a tensor without elements,
/// which takes part in the graph. Backward: scatter.
at::Tensor gather(const ProcessGroup& group,
                  const at::Tensor& tensor,
                  std::int64_t dim,
                  int root = 0);

/// Root's tensor cut along `dim`: `lengths` on root, by rank; empty: as partition_range cuts it.
/// The tensors of the other ranks only start their graphs; they have the same number of dimensions.
/// Backward: gather; other ranks' tensors get zeros.
at::Tensor scatter(const ProcessGroup& group,
                   const at::Tensor& tensor,
                   std::int64_t dim,
                   int root = 0,
                   std::vector<std::int64_t> lengths = {});

/// A distributed array that is divided along `joined` (parts of any length) and whole along `split`
/// becomes one that is whole along `joined` and divided along `split`, as partition_range cuts it.
/// Backward: the same the other way round.
at::Tensor transpose_shards(const ProcessGroup& group,
                            const at::Tensor& tensor,
                            std::int64_t split,
                            std::int64_t joined);

/// indexed_all_to_all of collectives.h. Backward: the gradients of the slices go back and are added
/// where they came from; an index may appear several times.
at::Tensor indexed_all_to_all(const ProcessGroup& group,
                              const at::Tensor& tensor,
                              const std::vector<at::Tensor>& indices,
                              std::int64_t dim = 0);

}  // namespace helioray::differentiable
