// SPDX-License-Identifier: MIT
// Every operator is a pair of collectives that are adjoint to each other.
#include "distributed/differentiable/collectives.h"

#include "distributed/ranks/environment.h"
#include "distributed/ranks/group_state.h"
#include "distributed/tensors/channel.h"
#include "distributed/tensors/collectives.h"
#include "distributed/tensors/tensor_checks.h"
#include "kernels/host/partition.h"

#include <ATen/core/grad_mode.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/zeros.h>
#include <ATen/ops/zeros_like.h>
#include <torch/csrc/autograd/custom_function.h>

#include <stdexcept>

namespace helioray::differentiable {
namespace {

/// A linear map on tensors whose gradients are not recorded.
using LinearMap = std::function<at::Tensor(const at::Tensor&)>;

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

/// A linear map and its adjoint, owned by the autograd graph.
struct Maps : torch::CustomClassHolder {
    Maps(std::string name_, LinearMap forward_, LinearMap adjoint_)
        : name(std::move(name_)), forward(std::move(forward_)), adjoint(std::move(adjoint_)) {}
    std::string name;
    LinearMap forward, adjoint;
};

at::Tensor apply_linear(const std::string& name,
                        const at::Tensor& input,
                        LinearMap forward,
                        LinearMap adjoint);

struct Linear : torch::autograd::Function<Linear> {
    static at::Tensor forward(AutogradContext* context,
                              const at::Tensor& input,
                              const c10::intrusive_ptr<Maps>& maps) {
        context->saved_data["maps"] = c10::IValue::make_capsule(maps);
        at::Tensor result = maps->forward(input.detach());
        // Autograd treats a returned input as one that was changed in place, so return a copy.
        return result.is_alias_of(input) ? result.clone() : result;
    }

    static variable_list backward(AutogradContext* context, variable_list gradients) {
        const auto capsule = context->saved_data["maps"].toCapsule();
        const auto& maps = static_cast<const Maps&>(*capsule);
        return {apply_linear(maps.name, gradients[0], maps.adjoint, maps.forward), at::Tensor()};
    }
};

/// Returns forward(input). Gradients use `adjoint`, second derivatives `forward` again. Throws
/// std::invalid_argument, with `name` at the start of the message, unless the input has a
/// floating-point or complex type.
at::Tensor apply_linear(const std::string& name,
                        const at::Tensor& input,
                        LinearMap forward,
                        LinearMap adjoint) {
    if (!input.defined()) throw std::invalid_argument(name + ": the tensor is undefined");
    if (!input.is_floating_point() && !input.is_complex())
        throw std::invalid_argument(
            name + ": the tensor has the type " + c10::toString(input.scalar_type()) +
            ", which has no gradients; use a floating-point or complex type");
    return Linear::apply(input,
                         c10::make_intrusive<Maps>(name, std::move(forward), std::move(adjoint)));
}

using Lengths = std::vector<std::int64_t>;

/// Applies a linear map after checking that either all ranks record gradients or none does. A rank
/// that records none would be missing in the backward pass.
at::Tensor apply(const ProcessGroup& group,
                 const std::string& name,
                 const at::Tensor& input,
                 LinearMap forward,
                 LinearMap adjoint) {
    if (!group.state().alone()) {
        const bool recorded =
            input.defined() && input.requires_grad() && at::GradMode::is_enabled();
        group.state().connected()->agree("differentiable " + name +
                                         (recorded ? " with" : " without") + " a gradient");
    }
    return apply_linear(name, input, std::move(forward), std::move(adjoint));
}

std::int64_t wrap_dimension(const std::string& name, const at::Tensor& tensor, std::int64_t dim) {
    const std::int64_t dims = tensor.defined() ? tensor.dim() : 0;
    if (dim < -dims || dim >= dims)
        throw std::invalid_argument(name + ": dimension " + std::to_string(dim) +
                                    " does not exist");
    return dim < 0 ? dim + dims : dim;
}

Lengths compute_balanced_lengths(std::int64_t n, int size) {
    Lengths lengths;
    for (int rank = 0; rank < size; ++rank) {
        const auto [begin, end] = partition_range(n, rank, size);
        lengths.push_back(end - begin);
    }
    return lengths;
}

Lengths get_lengths(const std::vector<at::Tensor>& parts, std::int64_t dim) {
    Lengths lengths;
    for (const auto& part : parts) lengths.push_back(part.size(dim));
    return lengths;
}

std::vector<at::Tensor> cut(const at::Tensor& whole, const Lengths& lengths, std::int64_t dim) {
    return whole.split_with_sizes(lengths, dim);
}

at::Tensor sum_over_ranks(const ProcessGroup& group, const at::Tensor& tensor) {
    at::Tensor sum = detail::detach_contiguous(tensor).clone();
    all_reduce(group, sum);
    return sum;
}

at::Tensor reduce_to_root(const ProcessGroup& group, const at::Tensor& tensor, int root) {
    at::Tensor sum = detail::detach_contiguous(tensor).clone();
    helioray::reduce(group, sum, root);
    return group.rank() == root ? sum : at::zeros_like(sum);
}

at::Tensor broadcast_from_root(const ProcessGroup& group, const at::Tensor& tensor, int root) {
    at::Tensor result = detail::detach_contiguous(tensor).clone();
    helioray::broadcast(group, result, root);
    return result;
}

/// Returns this rank's part of the sum over the ranks, added in the order of the ranks.
at::Tensor reduce_own_part(const ProcessGroup& group,
                           const at::Tensor& tensor,
                           const Lengths& lengths,
                           std::int64_t dim) {
    const auto parts = all_to_all(group, cut(tensor, lengths, dim));
    const auto type = tensor.scalar_type();
    at::Tensor sum = parts[0].to(detail::sum_type(type));
    for (std::size_t rank = 0; rank < parts.size(); ++rank) {
        if (parts[rank].sizes() != parts[0].sizes())
            throw DistributedError("reduce_scatter: the tensors of ranks 0 and " +
                                   std::to_string(rank) + " of the group differ in shape");
        if (rank > 0) sum = sum.add(parts[rank]);
    }
    return sum.to(type);
}

}  // namespace

at::Tensor copy(const ProcessGroup& group, const at::Tensor& tensor) {
    return apply(
        group,
        "copy",
        tensor,
        [](const at::Tensor& x) { return x; },
        [group](const at::Tensor& g) { return sum_over_ranks(group, g); });
}

at::Tensor sum(const ProcessGroup& group, const at::Tensor& tensor, Loss loss) {
    const LinearMap add = [group](const at::Tensor& x) { return sum_over_ranks(group, x); };
    if (loss == Loss::summed) return apply(group, "sum (summed loss)", tensor, add, add);
    return apply(
        group, "sum (replicated loss)", tensor, add, [](const at::Tensor& g) { return g; });
}

at::Tensor exact_sum(const ProcessGroup& group,
                     const at::Tensor& contributions,
                     int bits,
                     Loss loss) {
    wrap_dimension("exact_sum", contributions, 0);
    const LinearMap add = [group, bits](const at::Tensor& x) {
        at::Tensor sums = to_fixed_point(x, bits).sum(0);
        all_reduce(group, sums);
        return from_fixed_point(sums, bits).to(x.scalar_type());
    };
    const std::vector<std::int64_t> shape = contributions.sizes().vec();
    const LinearMap spread = [shape](const at::Tensor& g) { return g.expand(shape).contiguous(); };
    if (loss == Loss::summed)
        return apply(
            group, "exact_sum (summed loss)", contributions, add, [=](const at::Tensor& g) {
                return spread(sum_over_ranks(group, g));
            });
    return apply(group, "exact_sum (replicated loss)", contributions, add, spread);
}

at::Tensor shard(const ProcessGroup& group, const at::Tensor& tensor, std::int64_t dim) {
    dim = wrap_dimension("shard", tensor, dim);
    const auto [begin, end] = partition_range(tensor.size(dim), group.rank(), group.size());
    return apply(
        group,
        "shard",
        tensor,
        [dim, begin = begin, end = end](const at::Tensor& x) {
            return x.narrow(dim, begin, end - begin).contiguous();
        },
        [group, dim](const at::Tensor& g) { return at::cat(all_gather_v(group, g), dim); });
}

at::Tensor all_gather(const ProcessGroup& group,
                      const at::Tensor& tensor,
                      std::int64_t dim,
                      Loss loss) {
    dim = wrap_dimension("all_gather", tensor, dim);
    // The backward pass needs the lengths of the parts that the forward pass receives.
    const auto lengths = std::make_shared<Lengths>();
    const LinearMap join = [group, dim, lengths](const at::Tensor& x) {
        const auto parts = all_gather_v(group, x);
        *lengths = get_lengths(parts, dim);
        return at::cat(parts, dim);
    };
    if (loss == Loss::summed)
        return apply(group, "all_gather (summed loss)", tensor, join, [=](const at::Tensor& g) {
            return reduce_own_part(group, g, *lengths, dim);
        });
    return apply(group, "all_gather (replicated loss)", tensor, join, [=](const at::Tensor& g) {
        return cut(g, *lengths, dim)[group.rank()].contiguous();
    });
}

at::Tensor reduce_scatter(const ProcessGroup& group, const at::Tensor& tensor, std::int64_t dim) {
    dim = wrap_dimension("reduce_scatter", tensor, dim);
    const Lengths lengths = compute_balanced_lengths(tensor.size(dim), group.size());
    return apply(
        group,
        "reduce_scatter",
        tensor,
        [=](const at::Tensor& x) { return reduce_own_part(group, x, lengths, dim); },
        [=](const at::Tensor& g) { return at::cat(all_gather_v(group, g), dim); });
}

at::Tensor broadcast(const ProcessGroup& group, const at::Tensor& tensor, int root) {
    return apply(
        group,
        "broadcast",
        tensor,
        [=](const at::Tensor& x) { return broadcast_from_root(group, x, root); },
        [=](const at::Tensor& g) { return reduce_to_root(group, g, root); });
}

at::Tensor reduce(const ProcessGroup& group, const at::Tensor& tensor, int root) {
    return apply(
        group,
        "reduce",
        tensor,
        [=](const at::Tensor& x) { return reduce_to_root(group, x, root); },
        [=](const at::Tensor& g) { return broadcast_from_root(group, g, root); });
}

at::Tensor gather(const ProcessGroup& group, const at::Tensor& tensor, std::int64_t dim, int root) {
    dim = wrap_dimension("gather", tensor, dim);
    const auto lengths = std::make_shared<Lengths>();
    const bool is_root = group.rank() == root;
    return apply(
        group,
        "gather",
        tensor,
        [=](const at::Tensor& x) {
            const auto parts = helioray::gather(group, x, root);
            if (!is_root) return x.narrow(dim, 0, 0).clone();
            *lengths = get_lengths(parts, dim);
            return at::cat(parts, dim);
        },
        [=](const at::Tensor& g) {
            return helioray::scatter(
                group, is_root ? cut(g, *lengths, dim) : std::vector<at::Tensor>{}, root);
        });
}

at::Tensor scatter(const ProcessGroup& group,
                   const at::Tensor& tensor,
                   std::int64_t dim,
                   int root,
                   Lengths lengths) {
    dim = wrap_dimension("scatter", tensor, dim);
    const bool is_root = group.rank() == root;
    if (lengths.empty()) lengths = compute_balanced_lengths(tensor.size(dim), group.size());
    return apply(
        group,
        "scatter",
        tensor,
        [=](const at::Tensor& x) {
            return helioray::scatter(
                group, is_root ? cut(x, lengths, dim) : std::vector<at::Tensor>{}, root);
        },
        [=, zeros = is_root ? at::Tensor() : at::zeros_like(tensor.detach())](const at::Tensor& g) {
            const auto parts = helioray::gather(group, g, root);
            return is_root ? at::cat(parts, dim) : zeros.clone();
        });
}

at::Tensor transpose_shards(const ProcessGroup& group,
                            const at::Tensor& tensor,
                            std::int64_t split,
                            std::int64_t joined) {
    split = wrap_dimension("transpose_shards", tensor, split);
    joined = wrap_dimension("transpose_shards", tensor, joined);
    if (split == joined)
        throw std::invalid_argument("transpose_shards: both dimensions are " +
                                    std::to_string(split));
    const Lengths split_lengths = compute_balanced_lengths(tensor.size(split), group.size());
    const auto joined_lengths = std::make_shared<Lengths>();
    return apply(
        group,
        "transpose_shards",
        tensor,
        [=](const at::Tensor& x) {
            const auto parts = all_to_all(group, cut(x, split_lengths, split));
            *joined_lengths = get_lengths(parts, joined);
            return at::cat(parts, joined);
        },
        [=](const at::Tensor& g) {
            return at::cat(all_to_all(group, cut(g, *joined_lengths, joined)), split);
        });
}

at::Tensor indexed_all_to_all(const ProcessGroup& group,
                              const at::Tensor& tensor,
                              const std::vector<at::Tensor>& indices,
                              std::int64_t dim) {
    dim = wrap_dimension("indexed_all_to_all", tensor, dim);
    detail::check_indices(group.size(), tensor, indices, dim);
    const auto received = std::make_shared<Lengths>();
    std::vector<at::Tensor> places;
    for (const auto& index : indices)
        places.push_back(index.to(tensor.device(), at::kLong, false, true));
    const std::vector<std::int64_t> shape = tensor.sizes().vec();
    return apply(
        group,
        "indexed_all_to_all",
        tensor,
        [=](const at::Tensor& x) {
            std::vector<at::Tensor> parts;
            for (const auto& place : places) parts.push_back(x.index_select(dim, place));
            const auto slices = all_to_all(group, parts);
            *received = get_lengths(slices, dim);
            return at::cat(slices, dim);
        },
        [=](const at::Tensor& g) {
            const auto parts = all_to_all(group, cut(g, *received, dim));
            const auto type = detail::sum_type(g.scalar_type());
            at::Tensor sum = at::zeros(shape, g.options().dtype(type));
            for (std::size_t rank = 0; rank < places.size(); ++rank)
                sum.index_add_(dim, places[rank], parts[rank].to(type));
            return sum.to(g.scalar_type());
        });
}

}  // namespace helioray::differentiable
