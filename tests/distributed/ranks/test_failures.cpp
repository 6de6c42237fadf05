// SPDX-License-Identifier: MIT
// Ranks that are killed, fail, hang or make other calls than the others: every rank ends soon and
// reports the cause.
#include "tests/distributed/rank_runner.h"
#include "tests/support/catch2.h"

#include <signal.h>

using namespace helioray::test;

namespace {

void check_survivors(const std::vector<RankResult>& ranks, int victim, const std::string& text) {
    for (std::size_t rank = 0; rank < ranks.size(); ++rank) {
        if (static_cast<int>(rank) == victim) continue;
        CAPTURE(victim, rank, ranks[rank].output);
        CHECK(ranks[rank].exit_code == 3);
        CHECK(ranks[rank].seconds < 15.0 * kPatience);
        CHECK_THAT(ranks[rank].output, ContainsSubstring(text));
    }
}

}  // namespace

TEST_CASE("a killed rank is detected by ranks that wait") {
    for (const int victim : {0, 1}) {
        const auto ranks = run_world(3, {"dies_in_collective", std::to_string(victim)});
        CHECK(ranks[victim].signal == SIGKILL);
        check_survivors(ranks, victim, "rank " + std::to_string(victim) + " on host ");
        check_survivors(ranks, victim, "is gone");
    }
}

TEST_CASE("a killed rank is detected by ranks that compute") {
    for (const int victim : {0, 1}) {
        const auto ranks = run_world(3, {"dies_while_computing", std::to_string(victim)});
        CHECK(ranks[victim].signal == SIGKILL);
        check_survivors(ranks, victim, "rank " + std::to_string(victim) + " on host ");
        check_survivors(ranks, victim, "is gone");
    }
}

TEST_CASE("a rank whose computing thread hangs is detected, although it sends heartbeats") {
    for (const int victim : {0, 1}) {
        const auto ranks =
            run_world(3, {"hangs_in_work", std::to_string(victim)}, {{"TEST_TIMEOUT_MS", "3000"}});
        check_survivors(ranks, victim, "rank " + std::to_string(victim) + " on host ");
        check_survivors(ranks, victim, "hangs: tracing has made no progress");
        CAPTURE(victim, ranks[victim].output);
        CHECK(ranks[victim].exit_code == 3);
        CHECK_THAT(ranks[victim].output,
                   ContainsSubstring("rank " + std::to_string(victim) + " is stuck"));
    }
}

TEST_CASE("slow work is not a hang, however many time-outs it takes") {
    for (const char* how : {"counts", "computes", "unwatched", "before_text"}) {
        for (const auto& rank :
             run_world(2, {"works_slowly", how}, {{"TEST_TIMEOUT_MS", "3000"}})) {
            CAPTURE(how, rank.output);
            CHECK(rank.exit_code == 0);
        }
    }
}

TEST_CASE("a rank that is killed before its handshake is detected at once") {
    const auto ranks = run_world(2, {"dies_before_discovery"});
    CAPTURE(ranks[0].output);
    CHECK(ranks[0].exit_code == 3);
    CHECK(ranks[0].seconds < 15.0 * kPatience);  // the time-out is 20 s
    CHECK_THAT(ranks[0].output, ContainsSubstring("rank 1 is gone"));
}

TEST_CASE("writing to a rank that is gone does not end the process by a signal") {
    for (const char* scenario : {"collectives", "every_collective"}) {
        for (const auto& rank : run_world(2, {scenario}, {{"TEST_CONNECTIONS_BREAK", "1"}})) {
            CAPTURE(scenario, rank.output);
            CHECK(rank.signal == 0);
            CHECK(rank.exit_code == 0);
        }
    }
}

TEST_CASE("the failure that a rank reports is printed by the others") {
    for (const int victim : {0, 1}) {
        const auto ranks = run_world(2 + victim, {"reports", std::to_string(victim)});
        CHECK(ranks[victim].exit_code == 1);
        check_survivors(ranks, victim, "failed: the disk is full");
        check_survivors(ranks, victim, "rank " + std::to_string(victim) + " on host ");
    }
}

TEST_CASE("a scope left by an exception is a failure of its rank") {
    for (const int victim : {0, 1}) {
        const auto ranks = run_world(2, {"throws", std::to_string(victim)});
        CHECK(ranks[victim].exit_code == 1);
        CHECK(ranks[victim].seconds < 15.0 * kPatience);
        check_survivors(ranks, victim, "rank " + std::to_string(victim) + " on host ");
        check_survivors(ranks, victim, "failed");
    }
}

TEST_CASE("a late rank is named after the time-out") {
    const int timeout_ms = static_cast<int>(1500 * kPatience);
    const auto ranks =
        run_world(3, {"late", "2"}, {{"TEST_TIMEOUT_MS", std::to_string(timeout_ms)}});
    check_survivors(ranks, 2, "rank 2 on host ");
    check_survivors(ranks, 2, timeout_ms == 1500 ? "within 1.5 s" : "did not reach this call");
    CHECK(ranks[2].exit_code == 3);
}

TEST_CASE("different tensors are an error on every rank") {
    for (const char* scenario : {"shapes", "types"})
        check_survivors(run_world(2, {scenario}), -1, "rank 0 calls all_reduce_sum of ");
    check_survivors(run_world(2, {"order"}), -1, "rank 1 calls barrier");
}
