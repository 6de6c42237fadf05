// SPDX-License-Identifier: MIT
// Ranks that cannot meet, or that disagree when they do.
#include "tests/distributed/rank_runner.h"
#include "tests/support/catch2.h"

using namespace helioray::test;

namespace {

Variables rank_of(int rank, int size, int port) {
    return {{"RANK", std::to_string(rank)},
            {"WORLD_SIZE", std::to_string(size)},
            {"MASTER_ADDR", "127.0.0.1"},
            {"MASTER_PORT", std::to_string(port)},
            {"TEST_TIMEOUT_MS", "3000"}};
}

}  // namespace

TEST_CASE("different configurations are one clear message on every rank") {
    const auto ranks = run_world(3, {"configuration"});
    for (const auto& rank : ranks) {
        CAPTURE(rank.output);
        CHECK(rank.exit_code == 3);
        CHECK_THAT(rank.output, ContainsSubstring("'aaaa' on ranks 0 and 2, 'bbbb' on rank 1"));
    }
}

TEST_CASE("a rank that never starts is named") {
    const int port = free_port();
    const auto ranks = run_ranks({"collectives"}, {rank_of(0, 3, port), rank_of(2, 3, port)});
    CAPTURE(ranks[0].output, ranks[1].output);
    CHECK(ranks[0].exit_code == 3);
    CHECK(ranks[1].exit_code == 3);
    CHECK_THAT(ranks[0].output, ContainsSubstring("rank 1 of 3 did not start within 3"));
    CHECK_THAT(ranks[1].output, ContainsSubstring("rank 1 of 3 did not start within 3"));
}

TEST_CASE("ranks that disagree on their number") {
    const int port = free_port();
    const auto ranks = run_ranks({"collectives"}, {rank_of(0, 2, port), rank_of(1, 3, port)});
    for (const auto& rank : ranks) {
        CAPTURE(rank.output);
        CHECK(rank.exit_code == 3);
        CHECK_THAT(rank.output, ContainsSubstring("disagree on the number of ranks"));
    }
}

TEST_CASE("a rank without rank 0 gives up with the address") {
    const auto ranks = run_ranks({"collectives"}, {rank_of(1, 2, free_port())});
    CAPTURE(ranks[0].output);
    CHECK(ranks[0].exit_code == 3);
    CHECK_THAT(ranks[0].output,
               ContainsSubstring("cannot reach the store at 127.0.0.1:") &&
                   ContainsSubstring("MASTER_ADDR"));
}

TEST_CASE("two processes with one rank") {
    const int port = free_port();
    const auto ranks =
        run_ranks({"collectives"}, {rank_of(0, 3, port), rank_of(1, 3, port), rank_of(1, 3, port)});
    CAPTURE(ranks[1].output, ranks[2].output);
    CHECK(ranks[1].exit_code == 3);
    CHECK(ranks[2].exit_code == 3);
    CHECK_THAT(ranks[1].output + ranks[2].output, ContainsSubstring("two processes are rank 1"));
}

TEST_CASE("a port that is taken is an error of rank 0") {
    const int port = free_port();
    const auto ranks = run_ranks({"collectives"}, {rank_of(0, 2, port), rank_of(0, 2, port)});
    CAPTURE(ranks[0].output, ranks[1].output);
    CHECK(ranks[0].exit_code == 3);
    CHECK(ranks[1].exit_code == 3);
    CHECK_THAT(ranks[0].output + ranks[1].output,
               ContainsSubstring("rank 0 cannot open the store at 127.0.0.1:") &&
                   ContainsSubstring("MASTER_PORT"));
}

TEST_CASE("a wrong launcher environment never runs alone") {
    const auto ranks =
        run_ranks({"collectives"}, {{{"RANK", "0"}}, {{"RANK", "x"}, {"WORLD_SIZE", "2"}}});
    for (const auto& rank : ranks) CHECK(rank.exit_code == 2);
    CHECK_THAT(ranks[0].output, ContainsSubstring("WORLD_SIZE is not set"));
    CHECK_THAT(ranks[1].output, ContainsSubstring("RANK='x'"));
}
