// SPDX-License-Identifier: MIT
// Gradients of a fit whose data are divided unequally over the ranks.
#include "distributed/differentiable/gradients.h"
#include "distributed/tensors/collectives.h"
#include "tests/distributed/differentiable/gradient_check.h"
#include "tests/distributed/rank_scenarios.h"

#include <ATen/ops/full.h>
#include <ATen/ops/zeros.h>

#include <limits>

namespace helioray::test {
namespace {

struct Parameters {
    at::Tensor slope = random_like(at::zeros({3}, at::kDouble), 1).requires_grad_(true);
    at::Tensor offset = at::full({}, 0.25, at::kFloat).requires_grad_(true);
    at::Tensor of_one_rank = at::full({2, 2}, 0.5, at::kDouble).requires_grad_(true);
    at::Tensor unused = at::full({2}, 1.0, at::kDouble).requires_grad_(true);

    std::vector<at::Tensor> list() const { return {slope, offset, of_one_rank, unused}; }
};

/// Returns the sum of squared errors over the samples begin..end - 1.
at::Tensor squared_error(const Parameters& parameters, std::int64_t begin, std::int64_t end) {
    const at::Tensor all = random_like(at::zeros({16, 3}, at::kDouble), 2);
    const at::Tensor samples = all.narrow(0, begin, end - begin);
    return samples.mul(parameters.slope).sum(1).add(parameters.offset).square().sum();
}

bool near(const at::Tensor& a, const at::Tensor& b) {
    return a.allclose(b, a.scalar_type() == at::kDouble ? 1e-12 : 1e-6, 1e-6);
}

/// Rank r has r samples, so rank 0 is idle; a single rank has four samples.
void gradients() {
    DistributedEnvironment environment(make_test_options());
    const ProcessGroup& group = environment.world();
    const int rank = group.rank(), size = group.size();
    const std::int64_t count = size == 1 ? 4 : rank, begin = rank * (rank - 1) / 2;
    const std::int64_t total = size == 1 ? 4 : size * (size - 1) / 2;

    Parameters reference;
    squared_error(reference, 0, total).div(total).backward();

    for (const auto scale : {GradientScale::weighted_mean, GradientScale::sum}) {
        Parameters mine;
        if (count > 0) squared_error(mine, begin, begin + count).div(count).backward();
        if (rank == size - 1) mine.of_one_rank.square().sum().backward();
        // The gradients of an idle rank are ignored.
        if (count == 0)
            mine.slope.mutable_grad() =
                at::full({3}, std::numeric_limits<double>::quiet_NaN(), at::kDouble);
        synchronise_gradients(group, mine.list(), static_cast<double>(count), scale);

        const double factor = scale == GradientScale::sum ? static_cast<double>(total) : 1.0;
        expect(near(mine.slope.grad(), reference.slope.grad().mul(factor)), "gradient of slope");
        expect(near(mine.offset.grad(), reference.offset.grad().mul(factor)) &&
                   mine.offset.grad().scalar_type() == at::kFloat,
               "gradient of offset");
        const double last = static_cast<double>(size == 1 ? 4 : size - 1);
        expect(near(mine.of_one_rank.grad(),
                    at::full({2, 2}, last * factor / static_cast<double>(total), at::kDouble)),
               "gradient that one rank has");
        expect(!mine.unused.grad().defined(), "gradient that no rank has");
        // After a step with these gradients the parameters are still equal on all ranks.
        for (const auto& other : all_gather(group, mine.slope.grad()))
            expect(other.equal(mine.slope.grad()), "the same bits on every rank");
    }
    Parameters parameters;
    catch_message<std::invalid_argument>(
        [&] { synchronise_gradients(group, parameters.list(), -1.0); }, "a negative weight");
    catch_message<std::invalid_argument>(
        [&] { synchronise_gradients(group, parameters.list(), 0.0); }, "no weight at all");
    catch_message<std::invalid_argument>(
        [&] { synchronise_gradients(group, {parameters.slope.mul(2)}); }, "a tensor of the graph");
}

/// Two parameters are shared by all ranks, whose losses depend on different data. Each backward
/// pass must compute the gradients of the sum, or the mean, of these losses.
void shared_parameters() {
    DistributedEnvironment environment(make_test_options());
    const ProcessGroup& group = environment.world();
    const auto compute_loss = [](int rank, const Parameters& parameters) {
        return squared_error(parameters, rank, rank + 2).mul(rank + 1);
    };
    Parameters reference, mine;
    share_parameter(group, mine.slope, "slope");
    share_parameter(group, mine.offset, "offset", Reduction::mean);
    for (int pass = 1; pass <= 2; ++pass) {
        for (int rank = 0; rank < group.size(); ++rank) compute_loss(rank, reference).backward();
        compute_loss(group.rank(), mine).backward();
        expect(near(mine.slope.grad(), reference.slope.grad()), "gradient of the slope");
        expect(near(mine.offset.grad(), reference.offset.grad().div(group.size())),
               "gradient of the offset");
        for (const auto& other : all_gather(group, mine.slope.grad()))
            expect(other.equal(mine.slope.grad()), "the same bits on every rank");
    }
    catch_message<std::invalid_argument>(
        [&] { share_parameter(group, mine.slope.mul(2), "product"); }, "a tensor of the graph");
    catch_message<std::invalid_argument>(
        [&] { share_parameter(group, at::full({2}, 1.0), "constant"); }, "a constant");
    if (group.size() == 1) return;
    // One rank uses another parameter than the others.
    const std::string message = catch_message<DistributedError>(
        [&] { (group.rank() == 0 ? mine.slope.sum() : mine.offset.sum()).backward(); },
        "different parameters");
    expect(message.find("shared parameter 'slope'") != std::string::npos &&
               message.find("shared parameter 'offset'") != std::string::npos,
           message);
}

}  // namespace

Scenarios gradient_scenarios() {
    return {{"gradients", gradients}, {"shared_parameters", shared_parameters}};
}

}  // namespace helioray::test
