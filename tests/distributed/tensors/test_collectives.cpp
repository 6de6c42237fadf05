// SPDX-License-Identifier: MIT
// Collectives with one process per rank, and in a single process.
#include "distributed/ranks/environment.h"
#include "distributed/tensors/collectives.h"
#include "tests/distributed/rank_runner.h"
#include "tests/support/catch2.h"

#include <ATen/core/Tensor.h>
#include <ATen/ops/full.h>
#include <ATen/ops/ones.h>
#include <ATen/ops/zeros.h>

#include <cmath>

using helioray::DistributedEnvironment;
using namespace helioray::test;

TEST_CASE("the environment's own collectives") {
    for (const int size : {1, 3}) check_world(size, "collectives");
}

TEST_CASE("every collective on 1 to 4 ranks") {
    for (const int size : {1, 2, 3, 4}) check_world(size, "every_collective");
}

TEST_CASE("collectives without agreement") {
    check_world(3, "unchecked");
}

TEST_CASE("calls that differ between ranks are one message on every rank") {
    check_world(2, "wrong_calls");
}

TEST_CASE("waits for messages and in smaller groups end when a rank dies") {
    const auto ranks = run_world(3, {"dies_beside_groups"});
    for (int rank = 0; rank < 2; ++rank) {
        CAPTURE(rank, ranks[rank].output);
        CHECK(ranks[rank].exit_code == 3);
        CHECK(ranks[rank].seconds < 10.0 * kPatience);
        CHECK_THAT(ranks[rank].output, ContainsSubstring("rank 2 on host"));
    }
}

TEST_CASE("environments follow each other in one process") {
    check_world(2, "twice");
}

TEST_CASE("one rank needs no network") {
    DistributedEnvironment environment({});
    CHECK(environment.is_root());
    CHECK(environment.world_size() == 1);
    CHECK(environment.backend_name() == "none");
    CHECK(environment.device_name() == "cpu");
    at::Tensor values = at::ones({3}, at::kLong);
    environment.all_reduce_sum(values);
    environment.broadcast(values);
    CHECK(values.equal(at::ones({3}, at::kLong)));
    CHECK(environment.all_gather_strings("a") == std::vector<std::string>{"a"});
    CHECK(environment.wait_for_root("text", "a") == "a");
    CHECK(environment.fetch_add("n", 3) == 0);
    CHECK(environment.fetch_add("n") == 3);
    CHECK(environment.fetch_add("other") == 0);
    environment.remove_counter("n");
    environment.remove_counter("never used");
    CHECK(environment.fetch_add("n") == 0);
    environment.barrier();
    environment.check_peers();
    environment.report_failure("nothing");
    environment.close();
}

TEST_CASE("tensors that do not fit are refused before anything is sent") {
    DistributedEnvironment environment({});
    const auto refused = [&](at::Tensor tensor, const char* reason) {
        CHECK_THROWS_WITH(environment.all_reduce_sum(tensor), ContainsSubstring(reason));
    };
    refused(at::Tensor(), "undefined");
    refused(at::ones({2, 3}, at::kLong).t(), "not contiguous");
    refused(at::ones({2}, at::kBool), "type");
    refused(at::ones({2}, at::kComplexDouble), "type");
    refused(at::ones({2, 2}, at::kFloat).to_sparse(), "not dense");
    refused(at::ones({2}, at::kFloat).requires_grad_(true), "gradient");
    at::Tensor bytes = at::ones({2}, at::kByte);
    CHECK_THROWS_AS(environment.all_reduce_sum(bytes), std::invalid_argument);
    CHECK_NOTHROW(environment.broadcast(bytes));
    CHECK_THROWS_AS(environment.broadcast(bytes, 1), std::invalid_argument);
    at::Tensor strided = at::ones({2, 3}, at::kLong).t();
    CHECK_THROWS_AS(environment.broadcast(strided), std::invalid_argument);
    at::Tensor integers = at::ones({2}, at::kLong);
    CHECK_THROWS_WITH(all_reduce(environment.world(), integers, helioray::Reduction::mean),
                      ContainsSubstring("means"));
    CHECK_THROWS_AS(scatter(environment.world(), {}), std::invalid_argument);
}

TEST_CASE("fixed-point numbers that do not fit are refused") {
    const int bits = helioray::fixed_point_bits(1000.0);
    CHECK(bits == 51);
    const at::Tensor values = at::full({2}, 999.7, at::kDouble);
    const at::Tensor back =
        helioray::from_fixed_point(helioray::to_fixed_point(values, bits), bits);
    CHECK(back[0].item<double>() == Approx(999.7).epsilon(1e-14));
    CHECK_THROWS_AS(helioray::to_fixed_point(values.mul(1e4), bits), std::invalid_argument);
    CHECK_THROWS_AS(helioray::to_fixed_point(values.div(0.0), bits), std::invalid_argument);
    CHECK_THROWS_AS(helioray::to_fixed_point(values.mul(NAN), bits), std::invalid_argument);
    CHECK_THROWS_AS(helioray::fixed_point_bits(0.0), std::invalid_argument);
}

TEST_CASE("impossible options are refused") {
    helioray::DistributedOptions options;
    options.backend = helioray::DistributedOptions::Backend::nccl;
    CHECK_THROWS_WITH(DistributedEnvironment(options), ContainsSubstring("CUDA"));
    options = {};
    options.timeout = std::chrono::milliseconds(0);
    CHECK_THROWS_AS(DistributedEnvironment(options), std::invalid_argument);
    options = {};
    options.launch.world_size = 2;
    CHECK_THROWS_WITH(DistributedEnvironment(options), ContainsSubstring("address"));
    options.launch.rank = 2;
    CHECK_THROWS_WITH(DistributedEnvironment(options), ContainsSubstring("impossible"));
}
