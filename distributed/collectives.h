// SPDX-License-Identifier: MIT
// Collectives on tensors and texts. Every rank of the group calls them in the same order.
#pragma once

#include "distributed/process_group.h"

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace at {
class Tensor;
}

// All of them refuse, with std::invalid_argument and before anything is sent, a tensor that is
// undefined, not dense, of a type that does not fit, on a foreign device, or that requires a
// gradient while gradients are recorded (differentiable/collectives.h has operators for these).
// They throw DistributedError when the ranks' calls differ and, naming the first cause, when a rank
// has failed or is missing. CUDA tensors go through NCCL where it is the backend, else through the
// host. `root` and all other ranks are those within the group.

namespace helioray {

/// In place, on every rank. tensor: contiguous, of the same type and shape everywhere; int64,
/// int32, float64, float32, float16 or bfloat16. Integer sums are exact. Sums of floating-point
/// numbers depend, in their last bits, on the number of ranks; see to_fixed_point(). float16 and
/// bfloat16 travel and are added as float32, and are rounded once.
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

// Sums of floating-point numbers with the same bits for every number of ranks:

// Integer sums are exact, so they do not depend on order. Give every contribution (of a heliostat,
// not of a rank, whose share changes with the number of ranks) to to_fixed_point, add integers
// everywhere, all_reduce them, and turn the total back.

/// Binary digits after the point that leave room for sums of |values| up to `bound` (> 0, finite).
int fixed_point_bits(double bound);

/// round(values * 2^bits) as int64. values: float64 or float32. An error of a contribution is at
/// most 2^-(bits + 1). Throws std::invalid_argument for values that are not finite or do not fit.
at::Tensor to_fixed_point(const at::Tensor& values, int bits);

/// sums / 2^bits as float64.
at::Tensor from_fixed_point(const at::Tensor& sums, int bits);

// Collective, with ranks within the group and errors as in collectives.h. A text may hold any
// bytes, and be empty.

/// Texts of all ranks, by rank, on every rank.
std::vector<std::string> all_gather_strings(const ProcessGroup& group, const std::string& mine);

/// Texts of all ranks, by rank, on root, nothing elsewhere.
std::vector<std::string> gather_strings(const ProcessGroup& group,
                                        const std::string& mine,
                                        int root = 0);

/// Root's text on every rank.
std::string broadcast_string(const ProcessGroup& group, const std::string& text, int root = 0);

/// Entry r of root's list on rank r.
std::string scatter_strings(const ProcessGroup& group,
                            const std::vector<std::string>& texts,
                            int root = 0);

}  // namespace helioray
