// SPDX-License-Identifier: MIT
// One autograd function for every linear map.
#include "distributed/linear_operator.h"

#include <torch/csrc/autograd/custom_function.h>

#include <stdexcept>

namespace helioray::detail {
namespace {

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

/// Map and adjoint, held by the graph.
struct Maps : torch::CustomClassHolder {
    Maps(std::string name_, LinearMap forward_, LinearMap adjoint_)
        : name(std::move(name_)), forward(std::move(forward_)), adjoint(std::move(adjoint_)) {}
    std::string name;
    LinearMap forward, adjoint;
};

struct Linear : torch::autograd::Function<Linear> {
    static at::Tensor forward(AutogradContext* context,
                              const at::Tensor& input,
                              const c10::intrusive_ptr<Maps>& maps) {
        context->saved_data["maps"] = c10::IValue::make_capsule(maps);
        at::Tensor result = maps->forward(input.detach());
        // An input that is returned would be taken for one that was changed in place.
        return result.is_alias_of(input) ? result.clone() : result;
    }

    static variable_list backward(AutogradContext* context, variable_list gradients) {
        const auto capsule = context->saved_data["maps"].toCapsule();
        const auto& maps = static_cast<const Maps&>(*capsule);
        return {apply_linear(maps.name, gradients[0], maps.adjoint, maps.forward), at::Tensor()};
    }
};

}  // namespace

at::Tensor apply_linear(const std::string& name,
                        const at::Tensor& input,
                        LinearMap forward,
                        LinearMap adjoint) {
    if (!input.defined()) throw std::invalid_argument(name + ": the tensor is undefined");
    if (!input.is_floating_point() && !input.is_complex())
        throw std::invalid_argument(name + ": the tensor has the type " +
                                    c10::toString(input.scalar_type()) +
                                    ", which has no gradients");
    return Linear::apply(input,
                         c10::make_intrusive<Maps>(name, std::move(forward), std::move(adjoint)));
}

}  // namespace helioray::detail
