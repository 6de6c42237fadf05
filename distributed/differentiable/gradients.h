// SPDX-License-Identifier: MIT
// Many tensors reduced in few messages, and equal gradients on all ranks before a step of an
// optimiser.
#pragma once

#include "distributed/process_group.h"

#include <ATen/core/Tensor.h>

#include <map>
#include <string>
#include <vector>

namespace helioray {

/// all_reduce of every tensor of the map, in place, with one message for all floating-point and
/// one for all integer tensors. Names, types and shapes are the same on every rank, and are
/// compared before anything is sent. Packed by name: float16 and bfloat16 are reduced as float32,
/// everything floating as float64 where one of them is; integers as int64. Tensors may have any
/// strides. Throws as all_reduce does.
void fused_all_reduce(const ProcessGroup& group,
                      std::map<std::string, at::Tensor>& tensors,
                      Reduction = Reduction::sum);

/// How the ranks' gradients become one.
enum class GradientScale {
    sum,           ///< of weight x gradient
    weighted_mean  ///< the same over the sum of the weights
};

/// Replaces the gradient of every parameter, on every rank, by the sum or mean over the ranks.
/// parameters: replicated leaves, the same list in the same order everywhere. weight: of this
/// rank's gradients, finite and >= 0; with losses that are means over a rank's share, its number of
/// samples, so that the result is the gradient of the mean over all of them, however unequal the
/// shares; 0 for idle ranks, whose gradients are not looked at. A gradient that is missing here
/// counts as zeros; one that is missing on every rank stays missing. One message for all float64
/// and lower parameters. Collective; throws std::invalid_argument for tensors that are not leaves
/// and when all weights are 0, else as all_reduce.
void synchronise_gradients(const ProcessGroup& group,
                           const std::vector<at::Tensor>& parameters,
                           double weight = 1.0,
                           GradientScale scale = GradientScale::weighted_mean);

/// Marks a replicated parameter that every rank of the group uses, each for its own work: from now
/// on every backward pass gives it the sum, or the mean, of all ranks' gradients. So no call is
/// needed afterwards, but every rank must reach the parameter in every backward pass, and several
/// of them in the same order: ranks that reach different names throw DistributedError. parameter: a
/// leaf that requires a gradient, else std::invalid_argument. To be called once for a parameter.
void share_parameter(const ProcessGroup& group,
                     const at::Tensor& parameter,
                     const std::string& name,
                     Reduction reduction = Reduction::sum);

}  // namespace helioray
