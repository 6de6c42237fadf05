// SPDX-License-Identifier: MIT
// Reductions of many tensors in few messages, and synchronisation of gradients.
#pragma once

#include "distributed/ranks/process_group.h"

#include <ATen/core/Tensor.h>

#include <map>
#include <string>
#include <vector>

namespace helioray {

/// Reduces every tensor of the map over the ranks, in place, with one message for the
/// floating-point tensors and one for the integer tensors. Names, types and shapes must be the same
/// on every rank; they are compared before anything is sent. Floating-point tensors are reduced as
/// float64 if one of them is float64, else as float32; integers as int64. Tensors may have any
/// strides. Throws as all_reduce() does.
void fused_all_reduce(const ProcessGroup& group,
                      std::map<std::string, at::Tensor>& tensors,
                      Reduction = Reduction::sum);

/// Combination of the gradients of the ranks.
enum class GradientScale {
    sum,           ///< sum of weight x gradient
    weighted_mean  ///< sum of weight x gradient, divided by the sum of the weights
};

/// Replaces the gradient of every parameter, on every rank, by the sum or mean over the ranks.
///
/// `parameters` are replicated leaves, the same list in the same order on every rank. `weight`
/// (finite,
/// >= 0) weights this rank's gradients. If the loss of a rank is the mean over its samples, pass
/// their number: the result is then the gradient of the mean over all samples. Idle ranks pass 0;
/// their gradients are ignored. A missing gradient counts as zeros; one that is missing on every
/// rank stays missing. All floating-point parameters are sent in one message. Collective. Throws
/// std::invalid_argument for tensors that are not leaves and if all weights are 0, else as
/// all_reduce() does.
void synchronise_gradients(const ProcessGroup& group,
                           const std::vector<at::Tensor>& parameters,
                           double weight = 1.0,
                           GradientScale scale = GradientScale::weighted_mean);

/// Registers a hook by which every backward pass gives a replicated parameter the sum, or the mean,
/// of the gradients of all ranks. No further call is needed, but every rank must use the parameter
/// in every backward pass, and several parameters in the same order: different names throw
/// DistributedError. Call it once for each parameter. Throws std::invalid_argument unless the
/// parameter is a leaf that requires a gradient.
void share_parameter(const ProcessGroup& group,
                     const at::Tensor& parameter,
                     const std::string& name,
                     Reduction reduction = Reduction::sum);

}  // namespace helioray
