// SPDX-License-Identifier: MIT
// Collectives on all ranks. The expected values depend on rank and size only.
#include "distributed/differentiable/gradients.h"
#include "distributed/tensors/collectives.h"
#include "distributed/tensors/point_to_point.h"
#include "kernels/host/partition.h"
#include "tests/distributed/rank_scenarios.h"
#include "tests/distributed/tensors/collective_checks.h"

#include <ATen/core/Tensor.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/complex.h>
#include <ATen/ops/full.h>
#include <ATen/ops/imag.h>
#include <ATen/ops/tensor.h>
#include <ATen/ops/zeros.h>
#include <signal.h>
#include <unistd.h>

#include <cmath>
#include <thread>
#include <vector>

namespace helioray::test {
namespace {

void check_reductions(const ProcessGroup& group) {
    const int rank = group.rank(), size = group.size();
    for (const auto type : {at::kLong, at::kInt, at::kDouble, at::kFloat}) {
        const at::Tensor first = make_values(0, {3, 4}, type),
                         last = make_values(size - 1, {3, 4}, type),
                         all = first.mul(size).add(100 * (size * (size - 1) / 2));
        at::Tensor sum = make_values(rank, {3, 4}, type), low = sum.clone(), high = sum.clone();
        all_reduce(group, sum);
        all_reduce(group, low, Reduction::minimum);
        all_reduce(group, high, Reduction::maximum);
        expect(sum.equal(all), "all_reduce sum");
        expect(low.equal(first) && high.equal(last), "all_reduce minimum, maximum");
        for (int root = 0; root < size; ++root) {
            const at::Tensor mine = make_values(rank, {3, 4}, type);
            at::Tensor onto = mine.clone();
            reduce(group, onto, root);
            expect(onto.equal(rank == root ? all : mine), "reduce changes root's tensor alone");
        }
    }
    at::Tensor mean = at::full({5}, rank, at::kDouble), mean_on_root = mean.clone();
    all_reduce(group, mean, Reduction::mean);
    reduce(group, mean_on_root, size - 1, Reduction::mean);
    const at::Tensor middle = at::full({5}, (size - 1) / 2.0, at::kDouble);
    expect(mean.equal(middle), "all_reduce mean");
    expect(mean_on_root.equal(rank == size - 1 ? middle : at::full({5}, rank, at::kDouble)),
           "reduce mean");
    // Above 2^53, a floating-point sum would lose the last digits.
    const std::int64_t large = (std::int64_t{1} << 61) / size + 1;
    at::Tensor exact = at::full({257}, large + rank, at::kLong);
    all_reduce(group, exact);
    expect(exact.equal(at::full({257}, large * size + size * (size - 1) / 2, at::kLong)),
           "exact int64 sum");
    at::Tensor none = at::zeros({0, 4}, at::kLong), scalar = at::full({}, rank + 1.0, at::kDouble);
    all_reduce(group, none);
    all_reduce(group, scalar);
    expect(scalar.item<double>() == size * (size + 1) / 2, "sum of scalars");
}

/// Checks that the bits of a sum do not depend on the number of ranks.
void check_fixed_point(const ProcessGroup& group) {
    const std::int64_t units = 23;
    const auto contribution = [](std::int64_t unit) {
        return at::arange(64, at::kDouble)
            .mul(0.37)
            .add(static_cast<double>(unit))
            .sin()
            .mul(std::exp(0.3 * static_cast<double>(unit)));
    };
    const int bits = fixed_point_bits(1e5);
    const auto compute_sum = [&](std::int64_t begin, std::int64_t end) {
        at::Tensor sum = at::zeros({64}, at::kLong);
        for (std::int64_t unit = begin; unit < end; ++unit)
            sum += to_fixed_point(contribution(unit), bits);
        return sum;
    };
    const auto [begin, end] = partition_range(units, group.rank(), group.size());
    at::Tensor sum = compute_sum(begin, end);
    all_reduce(group, sum);
    expect(from_fixed_point(sum, bits).equal(from_fixed_point(compute_sum(0, units), bits)),
           "fixed-point sums have the bits of one rank");
}

void check_copies(const ProcessGroup& group) {
    const int rank = group.rank(), size = group.size();
    for (const auto type : {at::kDouble, at::kHalf, at::kBool, at::kComplexFloat, at::kByte})
        for (int root = 0; root < size; ++root) {
            at::Tensor copy = make_values(rank, {2, 3}, type);
            broadcast(group, copy, root);
            expect(copy.equal(make_values(root, {2, 3}, type)), "broadcast");
            const auto all = all_gather(group, make_values(rank, {2, 3}, type));
            expect(static_cast<int>(all.size()) == size, "size of all_gather");
            for (int r = 0; r < size; ++r)
                expect(all[r].equal(make_values(r, {2, 3}, type)), "all_gather");
        }
    const auto strided = all_gather(group, make_values(rank, {3, 4}).t());
    // Test lazily conjugated tensors, and a single element with a stride.
    const auto spiral = [](int r) {
        return at::complex(make_values(r, {3}), make_values(r, {3}).mul(2)).conj();
    };
    const auto conjugates = all_gather(group, spiral(rank));
    const auto parts = all_gather_v(group, at::imag(spiral(rank)));
    const auto single =
        all_gather(group, make_values(rank, {4, 3}).narrow(1, 1, 1).narrow(0, 2, 1).t());
    const auto scalars = all_gather(group, at::full({}, rank, at::kLong));
    for (int r = 0; r < size; ++r) {
        expect(strided[r].equal(make_values(r, {3, 4}).t()), "all_gather of strided tensors");
        expect(conjugates[r].equal(spiral(r)), "all_gather of conjugate views");
        expect(parts[r].equal(at::imag(spiral(r))), "all_gather_v of negative views");
        expect(single[r].item<double>() == 100 * r + 14, "all_gather of one strided element");
        expect(scalars[r].dim() == 0 && scalars[r].item<int>() == r, "all_gather of scalars");
    }
}

/// Checks collectives with different shapes: rank r has r rows, so rank 0 has none.
void check_variable_sizes(const ProcessGroup& group) {
    const int rank = group.rank(), size = group.size();
    const auto part = [](int r) { return make_values(r, {r, 2}, at::kFloat); };
    const auto all = all_gather_v(group, part(rank));
    for (int r = 0; r < size; ++r) expect(all[r].equal(part(r)), "all_gather_v");
    for (int root = 0; root < size; ++root) {
        const auto gathered = gather(group, part(rank), root);
        expect(static_cast<int>(gathered.size()) == (rank == root ? size : 0), "size of gather");
        for (std::size_t r = 0; r < gathered.size(); ++r)
            expect(gathered[r].equal(part(static_cast<int>(r))), "gather");
        std::vector<at::Tensor> parts;
        if (rank == root)
            for (int r = 0; r < size; ++r) parts.push_back(part(r).add(root));
        const at::Tensor mine = scatter(group, parts, root);
        expect(mine.scalar_type() == at::kFloat && mine.equal(part(rank).add(root)), "scatter");
    }
}

void every_collective() {
    DistributedEnvironment environment(make_test_options());
    const ProcessGroup& group = environment.world();
    expect(group.name() == "world" && group.rank() == environment.rank() &&
               group.size() == environment.world_size(),
           "the world's group");
    check_reductions(group);
    check_fixed_point(group);
    check_copies(group);
    check_variable_sizes(group);
    check_messages(group);
    check_texts(group);
    check_fused(group);
    barrier(group, std::chrono::milliseconds(5000));
}

/// Runs the checks without agreement before every call.
void unchecked() {
    auto options = make_test_options();
    options.check_calls = false;
    DistributedEnvironment environment(options);
    check_reductions(environment.world());
    check_copies(environment.world());
    check_variable_sizes(environment.world());
}

/// Uses a new environment for each wrong call, because a failed call ends the environment.
void wrong_calls() {
    auto options = make_test_options();
    const auto expect_error = [&](const std::string& text,
                                  const std::function<void(DistributedEnvironment&)>& call) {
        DistributedEnvironment environment(options);
        const std::string error = catch_message<DistributedError>([&] { call(environment); }, text);
        expect(error.find(text) != std::string::npos, "'" + text + "' in: " + error);
    };
    expect_error("the ranks disagree", [](DistributedEnvironment& environment) {
        at::Tensor values = at::zeros({2 + environment.rank()}, at::kDouble);
        all_reduce(environment.world(), values);
    });
    expect_error("the ranks disagree", [](DistributedEnvironment& environment) {
        const auto type = environment.rank() == 0 ? at::kDouble : at::kFloat;
        all_gather_v(environment.world(), at::zeros({2}, type));
    });
    expect_error("the ranks disagree", [](DistributedEnvironment& environment) {
        std::map<std::string, at::Tensor> tensors{
            {environment.rank() == 0 ? "a" : "b", at::zeros({2}, at::kDouble)}};
        fused_all_reduce(environment.world(), tensors);
    });
    expect_error("the ranks disagree", [](DistributedEnvironment& environment) {
        environment.split("pair",
                          {environment.rank() == 0 ? std::vector{0, 1} : std::vector{1, 0}});
    });
    expect_error("is Double [2]", [](DistributedEnvironment& environment) {
        at::Tensor values = at::zeros({2 + environment.rank()}, at::kDouble);
        if (environment.rank() == 0)
            send(environment.world(), values, 1);
        else
            receive(environment.world(), values, 0);
    });
    options.timeout = std::chrono::milliseconds(4000);
    expect_error("the message from rank 1 of the group (tag 3) was not complete within 4 s",
                 [](DistributedEnvironment& environment) {
                     if (environment.rank() == 0) receive(environment.world(), 1, 3);
                     // This call sends nothing; the other rank learns the failure from the store.
                     std::this_thread::sleep_for(std::chrono::milliseconds(5000));
                     environment.barrier();
                 });
    options = make_test_options();
    expect_error("rank 1 on host", [](DistributedEnvironment& environment) {
        // Rank 1 calls after the time-out, when the group is already closed.
        if (environment.rank() == 1) std::this_thread::sleep_for(std::chrono::milliseconds(1500));
        barrier(environment.world(), std::chrono::milliseconds(300));
    });
}

/// Rank 2 is killed while the others wait for a message, and in a group without it.
void dies_beside_groups() {
    DistributedEnvironment environment(make_test_options());
    const int rank = environment.rank();
    const auto pair = environment.split("pair", {{0, 1}});
    environment.barrier();
    if (rank == 2) {
        std::this_thread::sleep_for(std::chrono::milliseconds(300));
        ::kill(::getpid(), SIGKILL);
    }
    if (rank == 1) receive(environment.world(), 2);
    barrier(*pair);
}

}  // namespace

Scenarios collective_scenarios() {
    return {{"every_collective", every_collective},
            {"unchecked", unchecked},
            {"wrong_calls", wrong_calls},
            {"dies_beside_groups", dies_beside_groups}};
}

}  // namespace helioray::test
