// SPDX-License-Identifier: MIT
// Collectives between real processes, and in one process alone.
#include "distributed/environment.h"
#include "tests/distributed/rank_runner.h"
#include "tests/support/catch2.h"

#include <ATen/core/Tensor.h>
#include <ATen/ops/ones.h>
#include <ATen/ops/zeros.h>

using helioray::DistributedEnvironment;
using namespace helioray::test;

TEST_CASE("sums, copies, texts, counters on 1 to 4 ranks") {
    for (const int size : {1, 2, 3, 4}) {
        const auto ranks = run_world(size, {"collectives"});
        for (const auto& rank : ranks) {
            CAPTURE(size, rank.output);
            CHECK(rank.exit_code == 0);
        }
    }
}

TEST_CASE("environments follow each other in one process") {
    for (const auto& rank : run_world(2, {"twice"})) {
        CAPTURE(rank.output);
        CHECK(rank.exit_code == 0);
    }
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
    CHECK(environment.fetch_add("n", 3) == 0);
    CHECK(environment.fetch_add("n") == 3);
    CHECK(environment.fetch_add("other") == 0);
    environment.barrier();
    environment.check_peers();
    environment.report_failure("nothing");
    environment.close();
}

TEST_CASE("tensors that do not fit are refused before anything is sent") {
    DistributedEnvironment environment({});
    const auto refused = [&](at::Tensor tensor, const char* reason) {
        CHECK_THROWS_WITH(environment.all_reduce_sum(tensor), ContainsSubstring(reason));
        CHECK_THROWS_AS(environment.broadcast(tensor), std::invalid_argument);
    };
    refused(at::Tensor(), "undefined");
    refused(at::ones({2, 3}, at::kLong).t(), "not contiguous");
    refused(at::ones({2}, at::kBool), "type");
    refused(at::ones({2}, at::kHalf), "type");
    refused(at::ones({2, 2}, at::kFloat).to_sparse(), "not dense");
    refused(at::ones({2}, at::kFloat).requires_grad_(true), "gradient");
    at::Tensor bytes = at::ones({2}, at::kByte);
    CHECK_THROWS_AS(environment.all_reduce_sum(bytes), std::invalid_argument);
    CHECK_NOTHROW(environment.broadcast(bytes));
    CHECK_THROWS_AS(environment.broadcast(bytes, 1), std::invalid_argument);
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
