// SPDX-License-Identifier: MIT
// Differentiable sums: values, gradients and errors.
#include "distributed/tensors/collectives.h"
#include "kernels/host/partition.h"
#include "tests/distributed/differentiable/gradient_check.h"
#include "tests/distributed/rank_scenarios.h"

#include <ATen/ops/full.h>
#include <ATen/ops/tensor.h>
#include <ATen/ops/zeros.h>
#include <ATen/ops/zeros_like.h>
#include <torch/csrc/autograd/autograd.h>

#include <cmath>

namespace helioray::test {
namespace {

namespace d = differentiable;
using d::Loss;

at::Tensor make_input(int rank, std::vector<std::int64_t> shape) {
    return random_like(at::zeros(shape, at::kDouble), 31 + 7 * rank);
}

void sums(const ProcessGroup& group) {
    const at::Tensor mine = make_input(group.rank(), {3, 5});
    at::Tensor expected = at::zeros_like(mine);
    for (int r = 0; r < group.size(); ++r) expected += make_input(r, {3, 5});
    for (const auto loss : {Loss::replicated, Loss::summed}) {
        const OperatorCase sum{"sum",
                               [&](const at::Tensor& x) { return d::sum(group, x, loss); },
                               mine,
                               loss == Loss::replicated};
        expect(sum.apply(mine).allclose(expected, 1e-14, 1e-14), "sum");
        check_gradient(group, sum);
        if (loss == Loss::summed) check_adjoint(group, sum);
    }
}

/// Checks the gradient of a loss that every rank computes from one replicated parameter. With
/// Loss::replicated it is that of one rank; with Loss::summed it is larger by the number of ranks.
void conventions(const ProcessGroup& group) {
    const auto gradient = [&](Loss loss) {
        at::Tensor x = at::full({}, 2.0, at::kDouble).requires_grad_(true);
        const at::Tensor total = d::sum(group, x.mul(group.rank() + 1), loss);
        return torch::autograd::grad({total.mul(total)}, {x})[0].item<double>();
    };
    const int size = group.size();
    const double total = 2.0 * (size * (size + 1) / 2);
    const double expected = 2.0 * total * (group.rank() + 1);
    expect(gradient(Loss::replicated) == expected, "gradient of a replicated loss");
    expect(gradient(Loss::summed) == size * expected, "gradient of a sum of losses");
}

/// Checks exact_sum() with six contributions of very different size, divided over the ranks in
/// order. Some ranks may have none.
void exact_sums(const ProcessGroup& group) {
    const at::Tensor all =
        make_input(5, {6, 4}) * at::tensor({1e-9, 1e3, 1.0, 1e-4, 7e2, 1e-6}).view({6, 1});
    const auto [begin, end] = partition_range(6, group.rank(), group.size());
    const at::Tensor mine = all.narrow(0, begin, end - begin).clone().requires_grad_(true);
    const int bits = fixed_point_bits(1e4);
    for (const auto loss : {Loss::replicated, Loss::summed}) {
        const at::Tensor sum = d::exact_sum(group, mine, bits, loss);
        // The expected value is computed on one rank in extended precision and rounded to the same
        // grid.
        expect(sum.equal(from_fixed_point(to_fixed_point(all, bits).sum(0), bits)), "exact sum");
        expect(sum.allclose(all.sum(0), 0.0, 6 * std::ldexp(1.0, -bits)), "a sum");
        const at::Tensor gradient = torch::autograd::grad({sum.square().sum()}, {mine})[0];
        const double factor = loss == Loss::summed ? 2.0 * group.size() : 2.0;
        expect(gradient.allclose(sum.detach().mul(factor).expand({end - begin, 4}), 1e-14, 0.0),
               "gradient of an exact sum");
    }
}

/// Checks that sums of float16 and bfloat16 equal those of one rank that adds in float32 and rounds
/// once.
void low_precision(const ProcessGroup& group) {
    for (const auto type : {at::kHalf, at::kBFloat16}) {
        const auto input = [&](int rank) { return make_input(rank, {3, 8}).to(type); };
        at::Tensor sum = at::zeros({3, 8}, at::kFloat);
        for (int r = 0; r < group.size(); ++r) sum += input(r).to(at::kFloat);
        const at::Tensor wanted = sum.to(type);
        const at::Tensor weights = make_input(50, {3, 8}).to(type);

        at::Tensor mine = input(group.rank()).requires_grad_(true);
        const at::Tensor total = d::sum(group, mine, Loss::replicated);
        expect(total.scalar_type() == type, "type of a sum");
        expect(total.detach().allclose(wanted, 1e-6, 1e-6) || group.size() > 2, "sum");
        expect(
            total.detach().to(at::kFloat).allclose(sum, type == at::kHalf ? 0x1p-11 : 0x1p-8, 1e-6),
            "a sum that is rounded once");
        const at::Tensor gradient = torch::autograd::grad({total.mul(weights).sum()}, {mine})[0];
        expect(gradient.equal(weights), "gradient of a sum");

        at::Tensor mean = input(group.rank());
        all_reduce(group, mean, Reduction::mean);
        expect(mean.to(at::kFloat)
                   .allclose(sum.div(group.size()), type == at::kHalf ? 0x1p-11 : 0x1p-8, 1e-6),
               "mean");
    }
}

void autograd() {
    DistributedEnvironment environment(make_test_options());
    const ProcessGroup& group = environment.world();
    sums(group);
    conventions(group);
    exact_sums(group);
    low_precision(group);
    catch_message<std::invalid_argument>(
        [&] { d::sum(group, at::zeros({2}, at::kLong), Loss::summed); }, "gradients of integers");
}

/// Checks that a rank without a graph is an error at once instead of a wait in the backward pass.
void one_without_gradient() {
    DistributedEnvironment environment(make_test_options());
    const auto error = catch_message<DistributedError>(
        [&] {
            d::sum(environment.world(),
                   at::zeros({2}, at::kDouble).requires_grad_(environment.rank() == 0),
                   Loss::summed);
        },
        "a rank without a graph");
    expect(error.find("without a gradient") != std::string::npos, error);
}

}  // namespace

Scenarios autograd_scenarios() {
    return {{"autograd", autograd}, {"one_without_gradient", one_without_gradient}};
}

}  // namespace helioray::test
