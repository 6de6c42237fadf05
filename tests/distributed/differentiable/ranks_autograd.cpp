// SPDX-License-Identifier: MIT
// Differentiable collectives: values, gradients and errors.
#include "distributed/tensors/collectives.h"
#include "kernels/host/partition.h"
#include "tests/distributed/differentiable/gradient_check.h"
#include "tests/distributed/rank_scenarios.h"

#include <ATen/ops/cat.h>
#include <ATen/ops/full.h>
#include <ATen/ops/tensor.h>
#include <ATen/ops/zeros.h>
#include <ATen/ops/zeros_like.h>
#include <torch/csrc/autograd/autograd.h>

#include <algorithm>
#include <cmath>
#include <set>

namespace helioray::test {
namespace {

namespace d = differentiable;
using d::Loss;

at::Tensor make_input(int rank, std::vector<std::int64_t> shape) {
    return random_like(at::zeros(shape, at::kDouble), 31 + 7 * rank);
}

void check(const ProcessGroup& group,
           const std::string& name,
           const at::Tensor& input,
           const std::function<at::Tensor(const at::Tensor&)>& apply) {
    check_gradient(group, {name, apply, input, false, false});
    check_adjoint(group, {name, apply, input, false, false});
}

void mappings(const ProcessGroup& group) {
    const int rank = group.rank(), size = group.size();
    const at::Tensor whole = make_input(99, {3, 5}), mine = make_input(rank, {3, 5});
    const at::Tensor part = make_input(rank, {2, rank + 1});
    at::Tensor sum = at::zeros_like(mine);
    std::vector<at::Tensor> parts;
    for (int r = 0; r < size; ++r) {
        sum += make_input(r, {3, 5});
        parts.push_back(make_input(r, {2, r + 1}));
    }
    const auto [begin, end] = partition_range(5, rank, size);

    expect(d::copy(group, whole).equal(whole), "copy");
    check_gradient(group, {"copy", [&](auto& x) { return d::copy(group, x); }, whole, true, false});
    expect(d::shard(group, whole, -1).equal(whole.narrow(1, begin, end - begin)), "shard");
    check_gradient(group,
                   {"shard", [&](auto& x) { return d::shard(group, x, 1); }, whole, true, false});
    check_adjoint(group,
                  {"shard", [&](auto& x) { return d::shard(group, x, 1); }, whole, true, false});

    for (const auto loss : {Loss::replicated, Loss::summed}) {
        const bool once = loss == Loss::replicated;
        expect(d::sum(group, mine, loss).allclose(sum, 1e-14, 1e-14), "sum");
        check_gradient(group,
                       {"sum", [&](auto& x) { return d::sum(group, x, loss); }, mine, false, once});
        expect(d::all_gather(group, part, 1, loss).equal(at::cat(parts, 1)), "all_gather");
        check_gradient(group,
                       {"all_gather",
                        [&](auto& x) { return d::all_gather(group, x, 1, loss); },
                        part,
                        false,
                        once});
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

        // The gradient of copy() is a sum that is rounded in the same way.
        at::Tensor shared = input(7).requires_grad_(true);
        const at::Tensor own = d::copy(group, shared).mul(input(group.rank()));
        const at::Tensor added = torch::autograd::grad({own.sum()}, {shared})[0];
        expect(added.scalar_type() == type, "type of a gradient");
        expect(added.to(at::kFloat).allclose(sum, type == at::kHalf ? 0x1p-11 : 0x1p-8, 1e-6),
               "gradient of a copy");
        // reduce_scatter() returns parts of such a sum.
        const at::Tensor part = d::reduce_scatter(group, input(group.rank()), 1);
        const auto [begin, end] = partition_range(8, group.rank(), group.size());
        expect(part.equal(wanted.narrow(1, begin, end - begin)), "part of a sum");
        at::Tensor mean = input(group.rank());
        all_reduce(group, mean, Reduction::mean);
        expect(mean.to(at::kFloat)
                   .allclose(sum.div(group.size()), type == at::kHalf ? 0x1p-11 : 0x1p-8, 1e-6),
               "mean");
    }
}

void adjoint_pairs(const ProcessGroup& group) {
    const int rank = group.rank(), size = group.size();
    const at::Tensor mine = make_input(rank, {3, 5}), part = make_input(rank, {2, rank + 1});
    check(group, "reduce_scatter", mine, [&](auto& x) { return d::reduce_scatter(group, x, 1); });
    for (const int root : std::set<int>{0, size - 1}) {
        check(group, "broadcast", mine, [&](auto& x) { return d::broadcast(group, x, root); });
        check(group, "reduce", mine, [&](auto& x) { return d::reduce(group, x, root); });
        check(group, "gather", part, [&](auto& x) { return d::gather(group, x, 1, root); });
        check(group, "scatter", mine, [&](auto& x) { return d::scatter(group, x, 0, root); });
    }
    check(group, "transpose_shards", part, [&](auto& x) {
        return d::transpose_shards(group, x, 0, 1);
    });
    // Send row i to all ranks from i on, and the last row twice.
    std::vector<at::Tensor> indices;
    for (int to = 0; to < size; ++to) {
        std::vector<std::int64_t> rows{2};
        for (std::int64_t row = 0; row <= std::min<std::int64_t>(to, 2); ++row) rows.push_back(row);
        indices.push_back(at::tensor(rows, at::kLong));
    }
    check(group, "indexed_all_to_all", mine, [&](auto& x) {
        return d::indexed_all_to_all(group, x, indices, 0);
    });
    const at::Tensor row = d::broadcast(group, mine, size - 1);
    expect(row.equal(make_input(size - 1, {3, 5})), "broadcast");
    const at::Tensor joined = d::transpose_shards(group, part, 0, 1);
    std::vector<at::Tensor> parts;
    for (int r = 0; r < size; ++r) parts.push_back(make_input(r, {2, r + 1}));
    const auto [begin, end] = partition_range(2, rank, size);
    expect(joined.equal(at::cat(parts, 1).narrow(0, begin, end - begin)), "transpose_shards");
}

void autograd() {
    DistributedEnvironment environment(make_test_options());
    const ProcessGroup& group = environment.world();
    mappings(group);
    conventions(group);
    adjoint_pairs(group);
    exact_sums(group);
    low_precision(group);
    catch_message<std::invalid_argument>([&] { d::copy(group, at::zeros({2}, at::kLong)); },
                                         "gradients of integers");
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
