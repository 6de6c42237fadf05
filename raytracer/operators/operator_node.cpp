// SPDX-License-Identifier: MIT
// Nodes of Torch's autograd graph whose backward function calls an operator.
#include "raytracer/operators/operator_node.h"

#include <ATen/TensorOperators.h>
#include <ATen/core/LegacyTypeDispatch.h>
#include <ATen/ops/zeros_like.h>
#include <torch/csrc/autograd/autograd.h>
#include <torch/csrc/autograd/function.h>
#include <torch/csrc/autograd/functions/utils.h>
#include <torch/csrc/autograd/saved_variable.h>

#include <mutex>
#include <string>
#include <utility>

namespace helioray::operators {

namespace {

class OperatorNode : public torch::autograd::Node {
  public:
    OperatorNode(const char* name, const Tensors& inputs, BackwardFunction backward)
        : name_(name), backward_(std::move(backward)) {
        set_next_edges(torch::autograd::collect_next_edges(inputs));
        for (const at::Tensor& input : inputs) saved_.emplace_back(input, false);
    }

    Tensors apply(Tensors&& gradients) override {
        const std::lock_guard<std::mutex> lock(mutex_);
        TORCH_CHECK(!released_, torch::autograd::ERR_BACKWARD_TWICE);
        bool any = false;
        for (const at::Tensor& gradient : gradients) any = any || gradient.defined();
        if (!any) return Tensors(saved_.size());
        Tensors inputs;
        for (const torch::autograd::SavedVariable& saved : saved_) inputs.push_back(saved.unpack());
        Tensors results = backward_(gradients, inputs);
        for (size_t i = 0; i < results.size(); ++i)
            if (!should_compute_output(i)) results[i].reset();
        return results;
    }

    std::string name() const override { return name_; }

    void release_variables() override {
        const std::lock_guard<std::mutex> lock(mutex_);
        for (torch::autograd::SavedVariable& saved : saved_) saved.reset_data();
        released_ = true;
    }

  private:
    std::string name_;
    BackwardFunction backward_;
    std::vector<torch::autograd::SavedVariable> saved_;
    bool released_ = false;
};

}  // namespace

Tensors with_backward(const char* name,
                      const Tensors& inputs,
                      const std::function<Tensors()>& forward,
                      BackwardFunction backward) {
    bool differentiable = false;
    for (const at::Tensor& input : inputs) {
        TORCH_CHECK_NOT_IMPLEMENTED(!torch::autograd::isFwGradDefined(input),
                                    name,
                                    " has no forward-mode derivatives (jvp, jacfwd, dual tensors); "
                                    "use reverse mode: backward, grad, vjp or jacrev");
        differentiable = differentiable || torch::autograd::compute_requires_grad(input);
    }
    std::shared_ptr<OperatorNode> node;
    if (differentiable)
        node = std::shared_ptr<OperatorNode>(new OperatorNode(name, inputs, std::move(backward)),
                                             torch::autograd::deleteNode);
    Tensors outputs;
    {
        const at::AutoDispatchBelowADInplaceOrView below;
        outputs = forward();
    }
    if (node) torch::autograd::set_history(outputs, node);
    return outputs;
}

Tensors without_second_derivative(const char* name,
                                  const char* reason,
                                  const Tensors& inputs,
                                  const std::function<Tensors()>& forward) {
    return with_backward(name, inputs, forward, [=](const Tensors&, const Tensors&) -> Tensors {
        TORCH_CHECK_NOT_IMPLEMENTED(false, name, " is not differentiable: ", reason);
    });
}

bool are_plain(const Tensors& tensors) {
    const c10::DispatchKeySet wrappers({c10::DispatchKey::Python,
                                        c10::DispatchKey::Functionalize,
                                        c10::DispatchKey::Batched,
                                        c10::DispatchKey::FuncTorchBatched,
                                        c10::DispatchKey::FuncTorchGradWrapper,
                                        c10::DispatchKey::FuncTorchDynamicLayerFrontMode});
    if (c10::impl::tls_local_dispatch_key_set().included_.has_any(wrappers)) return false;
    for (const at::Tensor& tensor : tensors)
        if (tensor.is_meta() || tensor.key_set().has_any(wrappers)) return false;
    return true;
}

Tensors gradients_by_recomputing(const std::function<Tensors(const Tensors&)>& function,
                                 const Tensors& inputs,
                                 const Tensors& gradients) {
    // Kernels are called below autograd, so enable it again for the operations here.
    const c10::impl::LocalDispatchKeySet keys = c10::impl::tls_local_dispatch_key_set();
    const c10::impl::ForceDispatchKeyGuard recording(
        keys.included_, keys.excluded_ - c10::autograd_dispatch_keyset_with_ADInplaceOrView);
    const at::AutoGradMode enabled(true);
    Tensors leaves;
    for (const at::Tensor& input : inputs) leaves.push_back(input.detach().set_requires_grad(true));
    Tensors results =
        torch::autograd::grad(function(leaves), leaves, gradients, std::nullopt, false, true);
    // Torch requires outputs that do not share memory; gradients may be views of one another.
    for (size_t i = 0; i < results.size(); ++i)
        results[i] = results[i].defined() ? results[i].detach().clone() : at::zeros_like(inputs[i]);
    return results;
}

}  // namespace helioray::operators
