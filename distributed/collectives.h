// SPDX-License-Identifier: MIT
// Collectives on tensors. Every rank of the group calls them in the same order.
#pragma once

#include "distributed/process_group.h"
#include "distributed/reduction.h"

#include <chrono>
#include <cstdint>
#include <optional>
#include <vector>

namespace at {
class Tensor;
}

// All of them refuse, with std::invalid_argument and before anything is sent, a tensor that is
// undefined, not dense, of a type that does not fit, on a foreign device, or that requires a
// gradient while gradients are recorded (differentiable.h has operators for these). They throw
// DistributedError when the ranks' calls differ and, naming the first cause, when a rank has failed
// or is missing. CUDA tensors go through NCCL where it is the backend, else through the host.
// `root` and all other ranks are those within the group.

namespace helioray {

/// In place, on every rank. tensor: contiguous, of the same type and shape everywhere; int64,
/// int32, float64 or float32. Integer sums are exact. Sums of floating-point numbers depend, in
/// their last bits, on the number of ranks; see fixed_point.h.
void all_reduce(const ProcessGroup& group, at::Tensor& tensor, Reduction = Reduction::sum);

/// The same, but only root's tensor changes.
void reduce(const ProcessGroup& group,
            at::Tensor& tensor,
            int root = 0,
            Reduction = Reduction::sum);

/// In-place copy of root's tensor to all ranks; contiguous, of any type, the same shape everywhere.
void broadcast(const ProcessGroup& group, at::Tensor& tensor, int root = 0);

/// The tensors of all ranks, by rank, on every rank; of any type, the same shape everywhere.
std::vector<at::Tensor> all_gather(const ProcessGroup& group, const at::Tensor& tensor);

/// The same for shapes that differ between ranks; the type is the same everywhere.
std::vector<at::Tensor> all_gather_v(const ProcessGroup& group, const at::Tensor& tensor);

/// The tensors of all ranks, by rank, on root, nothing elsewhere. Shapes may differ, the type not.
std::vector<at::Tensor> gather(const ProcessGroup& group, const at::Tensor& tensor, int root = 0);

/// Entry r of root's list on rank r; what other ranks pass is not looked at. Shapes may differ, the
/// type not. The result is on the CPU, or on this rank's CUDA device where root's tensors are.
at::Tensor scatter(const ProcessGroup& group, const std::vector<at::Tensor>& tensors, int root = 0);

/// Entry r of the list goes to rank r; returns what every rank sent here, by rank. Shapes may
/// differ, also between the entries of a list; the type is the same everywhere.
std::vector<at::Tensor> all_to_all(const ProcessGroup& group,
                                   const std::vector<at::Tensor>& tensors);

/// Sends the slices indices[r] (int64, CPU) of the tensor along dimension `dim` to rank r; returns
/// the slices from all ranks, by rank, concatenated along `dim`. The other dimensions are the same
/// everywhere.
at::Tensor indexed_all_to_all(const ProcessGroup& group,
                              const at::Tensor& tensor,
                              const std::vector<at::Tensor>& indices,
                              std::int64_t dim = 0);

/// Waits for all ranks of the group, at most `timeout` (nothing: the environment's); throws
/// DistributedError naming the missing ranks.
void barrier(const ProcessGroup& group,
             std::optional<std::chrono::milliseconds> timeout = std::nullopt);

}  // namespace helioray
