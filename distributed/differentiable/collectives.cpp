// SPDX-License-Identifier: MIT
// Every operator is a pair of linear maps that are adjoint to each other.
#include "distributed/differentiable/collectives.h"

#include "distributed/ranks/environment.h"
#include "distributed/ranks/group_state.h"
#include "distributed/tensors/channel.h"
#include "distributed/tensors/collectives.h"
#include "distributed/tensors/tensor_checks.h"

#include <ATen/core/grad_mode.h>
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
/// floating-point type.
at::Tensor apply_linear(const std::string& name,
                        const at::Tensor& input,
                        LinearMap forward,
                        LinearMap adjoint) {
    if (!input.defined()) throw std::invalid_argument(name + ": the tensor is undefined");
    if (!input.is_floating_point())
        throw std::invalid_argument(name + ": the tensor has the type " +
                                    c10::toString(input.scalar_type()) +
                                    ", which has no gradients; use a floating-point type");
    return Linear::apply(input,
                         c10::make_intrusive<Maps>(name, std::move(forward), std::move(adjoint)));
}

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

at::Tensor sum_over_ranks(const ProcessGroup& group, const at::Tensor& tensor) {
    at::Tensor sum = detail::detach_contiguous(tensor).clone();
    all_reduce(group, sum);
    return sum;
}

}  // namespace

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
    if (!contributions.defined() || contributions.dim() == 0)
        throw std::invalid_argument(
            "exact_sum: the tensor has no dimension 0; pass the contributions as [n, ...]");
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

}  // namespace helioray::differentiable
