// SPDX-License-Identifier: MIT
// Reductions, copies to all, barriers, and floating-point numbers as scaled integers.
#include "distributed/tensors/collectives.h"

#include "distributed/ranks/environment.h"
#include "distributed/ranks/group_state.h"
#include "distributed/tensors/channel.h"
#include "distributed/tensors/tensor_checks.h"

#include <ATen/core/Tensor.h>
#include <ATen/ops/empty.h>

#include <cmath>
#include <stdexcept>

namespace helioray {
namespace {

using detail::Group;
using detail::TensorUse;
using detail::WaitCallback;

std::string reduction_name(Reduction reduction) {
    switch (reduction) {
        case Reduction::sum:
            return "sum";
        case Reduction::minimum:
            return "minimum";
        case Reduction::maximum:
            return "maximum";
        case Reduction::mean:
            return "mean";
    }
    return "reduction";
}

Reduction to_backend_reduction(Reduction reduction) {
    return reduction == Reduction::mean ? Reduction::sum : reduction;
}

TensorUse get_tensor_use(Reduction reduction) {
    return reduction == Reduction::mean ? TensorUse::mean : TensorUse::reduce;
}

}  // namespace

void all_reduce(const ProcessGroup& group, at::Tensor& tensor, Reduction reduction) {
    const auto& state = group.state();
    const std::string name = "all_reduce_" + reduction_name(reduction);
    detail::check_in_place(tensor, name, get_tensor_use(reduction), state.cuda_index);
    if (state.alone()) return;
    const auto channel = state.connected();
    const std::string operation = name + " of " + detail::describe_tensor(tensor);
    channel->agree(operation);
    if (tensor.numel() == 0) return;
    at::Tensor wire = channel->make_sendable(tensor.to(detail::sum_type(tensor.scalar_type())));
    channel->run(operation, wire, [&](Group& data, const WaitCallback& wait) {
        data.all_reduce(wire, to_backend_reduction(reduction), wait);
    });
    if (reduction == Reduction::mean) wire.div_(state.size());
    if (!wire.is_same(tensor)) tensor.copy_(wire);
}

void reduce(const ProcessGroup& group, at::Tensor& tensor, int root, Reduction reduction) {
    const auto& state = group.state();
    const std::string name = "reduce_" + reduction_name(reduction);
    detail::check_in_place(tensor, name, get_tensor_use(reduction), state.cuda_index);
    state.require_member(name, root);
    if (state.alone()) return;
    const auto channel = state.connected();
    const std::string operation =
        name + " to rank " + std::to_string(root) + " of " + detail::describe_tensor(tensor);
    channel->agree(operation);
    if (tensor.numel() == 0) return;
    // The backends overwrite the tensors of the other ranks, so these send a copy.
    const bool is_root = state.rank == root;
    const auto type = detail::sum_type(tensor.scalar_type());
    at::Tensor wire =
        channel->make_sendable(tensor.to(type, /*non_blocking=*/false, /*copy=*/!is_root));
    channel->run(operation, wire, [&](Group& data, const WaitCallback& wait) {
        data.reduce(wire, root, to_backend_reduction(reduction), wait);
    });
    if (!is_root) return;
    if (reduction == Reduction::mean) wire.div_(state.size());
    if (!wire.is_same(tensor)) tensor.copy_(wire);
}

void broadcast(const ProcessGroup& group, at::Tensor& tensor, int root) {
    const auto& state = group.state();
    detail::check_in_place(tensor, "broadcast", TensorUse::move, state.cuda_index);
    state.require_member("broadcast", root);
    if (state.alone()) return;
    const auto channel = state.connected();
    const std::string operation =
        "broadcast from rank " + std::to_string(root) + " of " + detail::describe_tensor(tensor);
    channel->agree(operation);
    channel->copy_to_all(operation, tensor, root);
}

std::vector<at::Tensor> all_gather(const ProcessGroup& group, const at::Tensor& tensor) {
    const auto& state = group.state();
    detail::check_tensor(tensor, "all_gather", TensorUse::move, state.cuda_index);
    if (state.alone()) return {tensor.detach().clone()};
    const auto channel = state.connected();
    const std::string operation = "all_gather of " + detail::describe_tensor(tensor);
    channel->agree(operation);
    const at::Tensor wire = channel->make_sendable(detail::detach_contiguous(tensor));
    std::vector<std::int64_t> shape{state.size()};
    shape.insert(shape.end(), wire.sizes().begin(), wire.sizes().end());
    const at::Tensor all = at::empty(shape, wire.options());
    if (all.numel() > 0)
        channel->run(operation, wire, [&](Group& data, const WaitCallback& wait) {
            at::Tensor bytes = detail::view_as_bytes(all);
            data.all_gather(bytes, detail::view_as_bytes(wire), wait);
        });
    return all.to(tensor.device()).unbind(0);
}

std::vector<at::Tensor> all_gather_v(const ProcessGroup& group, const at::Tensor& tensor) {
    const auto& state = group.state();
    detail::check_tensor(tensor, "all_gather_v", TensorUse::move, state.cuda_index);
    if (state.alone()) return {tensor.detach().clone()};
    const auto channel = state.connected();
    const std::string operation = "all_gather_v of " + detail::describe_type(tensor);
    const auto shapes = channel->rendezvous(operation, detail::format_shape(tensor.sizes()));
    // One broadcast per rank needs neither padding to the largest tensor nor a second buffer.
    std::vector<at::Tensor> all;
    for (int rank = 0; rank < state.size(); ++rank) {
        at::Tensor part = rank == state.rank
                              ? detail::detach_contiguous(tensor).clone()
                              : at::empty(detail::parse_shape(shapes[rank]), tensor.options());
        channel->copy_to_all(operation, part, rank);
        all.push_back(std::move(part));
    }
    return all;
}

void barrier(const ProcessGroup& group, std::optional<std::chrono::milliseconds> timeout) {
    const auto& state = group.state();
    if (state.alone()) return;
    const auto channel = state.connected();
    if (timeout)
        channel->rendezvous("barrier", {}, *timeout);
    else
        channel->rendezvous("barrier");
}

void DistributedEnvironment::all_reduce_sum(at::Tensor& tensor) {
    all_reduce(world(), tensor, Reduction::sum);
}

void DistributedEnvironment::broadcast(at::Tensor& tensor, int root) {
    helioray::broadcast(world(), tensor, root);
}

int fixed_point_bits(double bound) {
    if (!(bound > 0.0) || !std::isfinite(bound))
        throw std::invalid_argument("the bound of fixed-point sums is not positive and finite");
    int exponent = 0;
    std::frexp(bound, &exponent);  // bound <= 2^exponent
    return 61 - exponent;
}

at::Tensor to_fixed_point(const at::Tensor& values, int bits) {
    if (!values.defined() || !values.is_floating_point())
        throw std::invalid_argument("to_fixed_point: the values are not a floating-point tensor");
    const at::Tensor scaled = values.detach().to(at::kDouble).mul(std::ldexp(1.0, bits));
    // The comparison is also false for NaN.
    if (!scaled.abs().le(std::ldexp(1.0, 62)).all().item<bool>())
        throw std::invalid_argument(
            "a value is not finite, or too large for its fixed-point form; raise the bound");
    return scaled.round().to(at::kLong);
}

at::Tensor from_fixed_point(const at::Tensor& sums, int bits) {
    return sums.to(at::kDouble).mul(std::ldexp(1.0, -bits));
}

}  // namespace helioray
