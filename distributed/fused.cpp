// SPDX-License-Identifier: MIT
// Packing and unpacking around one all_reduce.
#include "distributed/fused.h"

#include "distributed/channel.h"
#include "distributed/collectives.h"
#include "distributed/group_state.h"
#include "distributed/tensor_checks.h"

#include <ATen/ops/cat.h>

#include <stdexcept>
#include <vector>

namespace helioray {
namespace {

/// One message: tensors of one kind, reduced as `type`.
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
                throw std::invalid_argument(operation + ": integers have no mean");
            integer.push_back(tensor);
        }
        names += " '" + name + "' " + detail::describe_tensor(tensor);
    }
    // Equal totals could hide different names.
    if (!state.alone()) state.connected()->agree("fused_all_reduce of" + names);
    reduce_packed(group, floating, floating_type, reduction);
    reduce_packed(group, integer, at::kLong, reduction);
}

}  // namespace helioray
