// SPDX-License-Identifier: MIT
// Differentiable sums with one process per rank.
#include "tests/distributed/rank_runner.h"
#include "tests/support/catch2.h"

using namespace helioray::test;

TEST_CASE("gradients of sums on 1 to 4 ranks") {
    for (const int size : {1, 2, 3, 4}) check_world(size, "autograd");
}

TEST_CASE("a rank that records no gradient is found at once") {
    check_world(2, "one_without_gradient");
}
