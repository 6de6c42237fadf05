// SPDX-License-Identifier: MIT
// Collectives on tensors and texts. Every rank of the group calls them in the same order.
#pragma once

#include "distributed/ranks/process_group.h"

#include <chrono>
#include <optional>
#include <string>
#include <vector>

namespace at {
class Tensor;
}

// All functions check the tensor before anything is sent. They throw std::invalid_argument if it is
// undefined, not dense, of an unsupported type, on another device, or requires a gradient while
// gradients are recorded (differentiable/collectives.h has differentiable versions). They throw
// DistributedError if the calls of the ranks differ, or, with the first cause, if a rank has failed
// or is missing. CUDA tensors are sent by NCCL if it is the backend, else through the host. Ranks,
// `root` among them, are numbered within the group. Results are indexed by rank.

namespace helioray {

/// Reduces the tensor over all ranks, in place on every rank. The tensor must be contiguous and
/// have the same type and shape everywhere: int64, int32, float64, float32, float16 or bfloat16.
/// Integer sums are exact. The last bits of floating-point sums depend on the number of ranks; see
/// to_fixed_point(). float16 and bfloat16 are sent and added as float32 and rounded once.
void all_reduce(const ProcessGroup& group, at::Tensor& tensor, Reduction = Reduction::sum);

/// Reduces the tensor as all_reduce() does, but changes it on the root only.
void reduce(const ProcessGroup& group,
            at::Tensor& tensor,
            int root = 0,
            Reduction = Reduction::sum);

/// Copies the root's tensor into the tensors of all ranks. They must be contiguous, of any type,
/// and have the same type and shape everywhere.
void broadcast(const ProcessGroup& group, at::Tensor& tensor, int root = 0);

/// Returns the tensors of all ranks on every rank. They may have any type; type and shape are the
/// same everywhere.
std::vector<at::Tensor> all_gather(const ProcessGroup& group, const at::Tensor& tensor);

/// Returns the tensors of all ranks on every rank. Their shapes may differ, their type must not.
std::vector<at::Tensor> all_gather_v(const ProcessGroup& group, const at::Tensor& tensor);

/// Returns the tensors of all ranks on the root and an empty list elsewhere. Their shapes may
/// differ, their type must not.
std::vector<at::Tensor> gather(const ProcessGroup& group, const at::Tensor& tensor, int root = 0);

/// Returns entry r of the root's list on rank r. The lists of the other ranks are ignored. Shapes
/// may differ, the type must not. The result is on this rank's CUDA device if the root's tensors
/// are on CUDA, else on the CPU.
at::Tensor scatter(const ProcessGroup& group, const std::vector<at::Tensor>& tensors, int root = 0);

/// Waits for all ranks of the group, at most for `timeout`; without one, for the time-out of the
/// environment. Throws DistributedError that names the missing ranks.
void barrier(const ProcessGroup& group,
             std::optional<std::chrono::milliseconds> timeout = std::nullopt);

// Floating-point sums with the same bits for any number of ranks:
//
// Integer sums are exact, so they do not depend on the order of the additions. Convert every
// contribution with to_fixed_point(), add the integers on each rank, all_reduce() them and convert
// the total back. A contribution must not depend on the number of ranks: take that of a heliostat,
// not that of a rank.

/// Returns the number of binary digits after the point with which sums of |values| up to `bound`
/// (> 0, finite) fit into int64.
int fixed_point_bits(double bound);

/// Returns round(values * 2^bits) as int64. The values are float64 or float32. The rounding error
/// of a contribution is at most 2^-(bits + 1). Throws std::invalid_argument for values that are not
/// finite or do not fit.
at::Tensor to_fixed_point(const at::Tensor& values, int bits);

/// Returns sums / 2^bits as float64.
at::Tensor from_fixed_point(const at::Tensor& sums, int bits);

/// Returns the texts of all ranks on every rank. A text may contain any bytes and be empty.
std::vector<std::string> all_gather_strings(const ProcessGroup& group, const std::string& mine);

/// Returns the text of the root on every rank. The other ranks may pass any text. No rank returns
/// before all ranks have called this function.
std::string broadcast_string(const ProcessGroup& group, const std::string& mine, int root = 0);

}  // namespace helioray
