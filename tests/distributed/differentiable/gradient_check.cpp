// SPDX-License-Identifier: MIT
// Central differences of the inputs of all ranks at the same time.
#include "tests/distributed/differentiable/gradient_check.h"

#include "distributed/tensors/collectives.h"
#include "tests/distributed/rank_scenarios.h"

#include <ATen/ops/arange.h>
#include <ATen/ops/full.h>
#include <torch/csrc/autograd/autograd.h>

#include <cmath>

namespace helioray::test {
namespace {

double scalar_product(const at::Tensor& a, const at::Tensor& b) {
    return a.mul(b).sum().item<double>();
}

double sum_over(const ProcessGroup& group, double value, bool counts_once) {
    at::Tensor sum = at::full({}, counts_once && group.rank() > 0 ? 0.0 : value, at::kDouble);
    all_reduce(group, sum);
    return sum.item<double>();
}

void expect_close(double found, double expected, const std::string& what) {
    expect(std::abs(found - expected) <= 1e-7 * (1.0 + std::abs(expected)),
           what + ": " + std::to_string(found) + " instead of " + std::to_string(expected));
}

/// Returns a loss that is quadratic in the result, so that central differences are exact.
at::Tensor compute_loss(const ProcessGroup& group,
                        const OperatorCase& test,
                        const at::Tensor& input) {
    const at::Tensor result = test.apply(input);
    const at::Tensor weights =
        random_like(result.detach(), test.replicated_loss ? 1000 : 1000 + group.rank());
    return weights.mul(result.mul(result).mul(0.3).add(result)).sum();
}

at::Tensor compute_gradient(const ProcessGroup& group,
                            const OperatorCase& test,
                            const at::Tensor& input,
                            bool create_graph = false) {
    return torch::autograd::grad(
        {compute_loss(group, test, input)}, {input}, {}, create_graph, create_graph)[0];
}

at::Tensor moved(const at::Tensor& input, const at::Tensor& direction, double step) {
    return input.detach().add(direction, step).requires_grad_(true);
}

}  // namespace

at::Tensor random_like(const at::Tensor& tensor, std::int64_t seed) {
    // Sines of large arguments need no generator, whose state would have to be equal on all ranks.
    return at::arange(tensor.numel(), at::kDouble)
        .add(1.0)
        .mul(static_cast<double>(seed) + 0.618)
        .mul(12.9898)
        .sin()
        .mul(43.7585)
        .frac()
        .reshape(tensor.sizes());
}

void check_gradient(const ProcessGroup& group, const OperatorCase& test) {
    const at::Tensor input = test.input.detach().clone().requires_grad_(true);
    const at::Tensor gradient = compute_gradient(group, test, input);
    expect(gradient.defined() && gradient.sizes() == input.sizes(), "gradient of " + test.name);
    const double step = 1e-2;
    for (int direction = 0; direction < 2; ++direction) {
        const std::int64_t seed = 10 * direction + group.rank();
        const at::Tensor along = random_like(input.detach(), seed);
        const auto total_loss = [&](double length) {
            const at::Tensor loss = compute_loss(group, test, moved(input, along, length));
            return sum_over(group, loss.item<double>(), test.replicated_loss);
        };
        const double slope = (total_loss(step) - total_loss(-step)) / (2.0 * step);
        const double found = sum_over(group, scalar_product(gradient, along), false);
        expect_close(found, slope, "derivative of " + test.name);
    }
    if (test.replicated_loss) return;

    // d/dx <gradient, u> along v is <d gradient along v, u>.
    const at::Tensor u = random_like(input.detach(), 500 + group.rank()),
                     v = random_like(input.detach(), 600 + group.rank());
    const at::Tensor first = compute_gradient(group, test, input, true);
    const at::Tensor product = first.mul(u).sum();
    const at::Tensor second = torch::autograd::grad({product}, {input})[0];
    const at::Tensor change = compute_gradient(group, test, moved(input, v, step))
                                  .sub(compute_gradient(group, test, moved(input, v, -step)))
                                  .div(2.0 * step);
    expect_close(sum_over(group, scalar_product(second, v), false),
                 sum_over(group, scalar_product(change, u), false),
                 "second derivative of " + test.name);
}

void check_adjoint(const ProcessGroup& group, const OperatorCase& test) {
    const at::Tensor input = test.input.detach().clone().requires_grad_(true);
    const at::Tensor result = test.apply(input);
    const at::Tensor u = random_like(result.detach(), 700 + group.rank());
    const at::Tensor back = torch::autograd::grad({result}, {input}, {u})[0];
    const double forward =
        sum_over(group, scalar_product(u, result.detach()), test.replicated_loss);
    const double backward = sum_over(group, scalar_product(back, input.detach()), false);
    expect(std::abs(forward - backward) <= 1e-12 * (10.0 + std::abs(forward)),
           "adjoint of " + test.name + ": " + std::to_string(backward) + " instead of " +
               std::to_string(forward));
}

}  // namespace helioray::test
