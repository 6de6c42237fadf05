// SPDX-License-Identifier: MIT
// Distributed Fourier transforms with one process per rank.
#include "tests/distributed/rank_runner.h"
#include "tests/support/catch2.h"

using namespace helioray::test;

TEST_CASE("Fourier transforms and their adjoints on 1 to 4 ranks") {
    for (const int size : {1, 2, 3, 4}) check_world(size, "fft");
}
