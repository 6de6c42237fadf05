// SPDX-License-Identifier: MIT
// Synchronised gradients with one process per rank.
#include "tests/distributed/rank_runner.h"
#include "tests/support/catch2.h"

using namespace helioray::test;

TEST_CASE("gradients of unequal shares are those of all data on 1 to 4 ranks") {
    for (const int size : {1, 2, 3, 4}) check_world(size, "gradients");
}

TEST_CASE("shared parameters get the gradients of all ranks in the backward pass") {
    for (const int size : {1, 2, 4}) check_world(size, "shared_parameters");
}
