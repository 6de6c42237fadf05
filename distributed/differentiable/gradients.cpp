// SPDX-License-Identifier: MIT
// Packed reductions, and weighted sums of gradients.
#include "distributed/differentiable/gradients.h"

#include "distributed/ranks/group_state.h"
#include "distributed/tensors/channel.h"
#include "distributed/tensors/collectives.h"
#include "distributed/tensors/tensor_checks.h"

#include <ATen/core/grad_mode.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/full.h>
#include <ATen/ops/zeros.h>
#include <ATen/ops/zeros_like.h>

#include <cmath>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

namespace helioray {
namespace {

/// Reduces the tensors in one message, converted to `type`.
void reduce_packed(const ProcessGroup& group,
                   const std::vector<at::Tensor>& tensors,
                   at::ScalarType type,
                   Reduction reduction) {
    if (tensors.empty()) return;
    std::vector<at::Tensor> flat;
    for (const auto& tensor : tensors) flat.push_back(tensor.detach().to(type).reshape({-1}));
    at::Tensor packed = at::cat(flat);
    all_reduce(group, packed, reduction);
    std::int64_t begin = 0;
    for (const auto& tensor : tensors) {
        tensor.detach().copy_(packed.narrow(0, begin, tensor.numel()).view(tensor.sizes()));
        begin += tensor.numel();
    }
}

}  // namespace

void fused_all_reduce(const ProcessGroup& group,
                      std::map<std::string, at::Tensor>& tensors,
                      Reduction reduction) {
    const auto& state = group.state();
    std::vector<at::Tensor> floating, integer;
    at::ScalarType floating_type = at::kFloat;
    std::string names;
    for (const auto& [name, tensor] : tensors) {
        const std::string operation = "fused_all_reduce of '" + name + "'";
        detail::check_tensor(tensor, operation, detail::TensorUse::move, state.cuda_index);
        if (tensor.is_complex() || tensor.scalar_type() == at::kBool)
            throw std::invalid_argument(operation + ": the type " +
                                        c10::toString(tensor.scalar_type()) + " cannot be reduced");
        if (tensor.is_floating_point()) {
            floating.push_back(tensor);
            if (tensor.scalar_type() == at::kDouble) floating_type = at::kDouble;
        } else {
            if (reduction == Reduction::mean)
                throw std::invalid_argument(
                    operation + ": integers have no mean; convert them to a floating-point type");
            integer.push_back(tensor);
        }
        names += " '" + name + "' " + detail::describe_tensor(tensor);
    }
    // The packed tensors can have the same size although the names differ, so compare the names.
    if (!state.alone()) state.connected()->agree("fused_all_reduce of" + names);
    reduce_packed(group, floating, floating_type, reduction);
    reduce_packed(group, integer, at::kLong, reduction);
}

namespace {

/// Returns a name whose alphabetical order is that of the list.
std::string format_gradient_name(std::size_t index) {
    std::string digits = std::to_string(index);
    return "gradient " + std::string(digits.size() < 8 ? 8 - digits.size() : 0, '0') + digits;
}

}  // namespace

void synchronise_gradients(const ProcessGroup& group,
                           const std::vector<at::Tensor>& parameters,
                           double weight,
                           GradientScale scale) {
    if (!(weight >= 0.0) || !std::isfinite(weight))
        throw std::invalid_argument("the weight of the gradients is negative or not finite");
    for (const auto& parameter : parameters)
        if (!parameter.defined() || !parameter.is_leaf() || !parameter.is_floating_point())
            throw std::invalid_argument(
                "a parameter is not a floating-point leaf; only gradients of such leaves can be "
                "synchronised");

    const at::NoGradGuard no_grad;
    std::map<std::string, at::Tensor> message;
    at::Tensor present = at::zeros({static_cast<std::int64_t>(parameters.size())}, at::kDouble);
    for (std::size_t i = 0; i < parameters.size(); ++i) {
        const auto& gradient = parameters[i].grad();
        const bool counts = gradient.defined() && weight > 0.0;
        present[static_cast<std::int64_t>(i)] = gradient.defined() ? 1.0 : 0.0;
        message[format_gradient_name(i)] = counts ? gradient.to(parameters[i].options()).mul(weight)
                                                  : at::zeros_like(parameters[i]);
    }
    // These float64 tensors make fused_all_reduce() add everything in float64.
    const at::Tensor total_weight = at::full({}, weight, at::kDouble);
    message["present"] = present;
    message["weight"] = total_weight;
    fused_all_reduce(group, message);

    const double total = total_weight.item<double>();
    if (scale == GradientScale::weighted_mean && !(total > 0.0))
        throw std::invalid_argument(
            "the weights of the gradients are 0 on all ranks; at least one must be positive");
    for (std::size_t i = 0; i < parameters.size(); ++i) {
        if (present[static_cast<std::int64_t>(i)].item<double>() == 0.0) continue;
        at::Tensor gradient = message[format_gradient_name(i)];
        if (scale == GradientScale::weighted_mean) gradient.div_(total);
        const at::Tensor& parameter = parameters[i];
        parameter.mutable_grad() = gradient;
    }
}

void share_parameter(const ProcessGroup& group,
                     const at::Tensor& parameter,
                     const std::string& name,
                     Reduction reduction) {
    if (!parameter.defined() || !parameter.is_leaf() || !parameter.requires_grad())
        throw std::invalid_argument("the shared parameter '" + name +
                                    "' is not a leaf that requires a gradient");
    parameter.register_hook([group, name, reduction](const at::Tensor& gradient) {
        if (!group.state().alone())
            group.state().connected()->agree("gradient of the shared parameter '" + name + "'");
        at::Tensor total = detail::detach_contiguous(gradient.detach()).clone();
        all_reduce(group, total, reduction);
        return total;
    });
}

}  // namespace helioray
