// SPDX-License-Identifier: MIT
// The watch over other ranks, with monitors of one process and a store in memory.
#include "distributed/child_process.h"
#include "distributed/peer_monitor.h"
#include "tests/support/catch2.h"

#include <unistd.h>

using namespace helioray::detail;
using std::chrono::milliseconds;

namespace {

MonitorOptions options_for(int rank, int size) {
    MonitorOptions options;
    options.rank = rank;
    for (int r = 0; r < size; ++r) options.peers.push_back({"rank " + std::to_string(r), 0});
    options.store_name = "the store";
    options.interval = milliseconds(10);
    options.silence_limit = milliseconds(400);
    return options;
}

}  // namespace

TEST_CASE("living ranks are left alone") {
    const Store store = Store::in_memory();
    PeerMonitor zero(store, options_for(0, 2)), one(store, options_for(1, 2));
    CHECK_FALSE(zero.await_cause(milliseconds(1000)));
    CHECK_FALSE(one.cause());
}

TEST_CASE("a rank without a heartbeat is gone, and every rank learns it") {
    const Store store = Store::in_memory();
    PeerMonitor zero(store, options_for(0, 3)), one(store, options_for(1, 3));
    // Rank 2 never gives a sign; rank 1 does not watch it, but reads the verdict.
    const auto first = zero.await_cause(milliseconds(5000)),
               second = one.await_cause(milliseconds(5000));
    REQUIRE(first);
    REQUIRE(second);
    CHECK_THAT(*first, ContainsSubstring("rank 2 is gone"));
    CHECK(*first == *second);
}

TEST_CASE("rank 0 is watched by the others") {
    const Store store = Store::in_memory();
    PeerMonitor one(store, options_for(1, 2));
    const auto cause = one.await_cause(milliseconds(5000));
    REQUIRE(cause);
    CHECK_THAT(*cause, ContainsSubstring("rank 0 is gone"));
}

TEST_CASE("the first report wins everywhere") {
    const Store store = Store::in_memory();
    PeerMonitor zero(store, options_for(0, 2)), one(store, options_for(1, 2));
    one.report("rank 1 failed: first", milliseconds(2000));
    zero.report("rank 0 failed: second", milliseconds(2000));
    CHECK(zero.await_cause(milliseconds(2000)) == std::string("rank 1 failed: first"));
    CHECK(one.cause() == std::string("rank 1 failed: first"));
}

TEST_CASE("a process of this machine is watched by the kernel") {
    Store store = Store::in_memory();
    ChildOptions child;
    child.program = "/bin/sh";
    child.arguments = {"sh", "-c", "sleep 0.3"};
    auto options = options_for(0, 2);
    options.silence_limit = milliseconds(60'000);
    options.peers[1].watch_pid = start_child(child);

    SECTION("its end without a word is a failure") {
        PeerMonitor zero(store, options);
        const auto cause = zero.await_cause(milliseconds(5000));
        REQUIRE(cause);
        CHECK_THAT(*cause, ContainsSubstring("rank 1 is gone: the process ended"));
    }
    SECTION("its end after goodbye is not") {
        store.set(PeerMonitor::bye_key(1), "1");
        PeerMonitor zero(store, options);
        CHECK_FALSE(zero.await_cause(milliseconds(1000)));
    }
}
