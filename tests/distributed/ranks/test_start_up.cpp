// SPDX-License-Identifier: MIT
// Start-up of ranks that cannot connect or have different settings.
#include "tests/distributed/rank_runner.h"
#include "tests/support/catch2.h"
#include "tests/support/skip.h"

#include <fstream>

using namespace helioray::test;

namespace {

Variables make_rank_variables(int rank, int size, int port) {
    return {{"RANK", std::to_string(rank)},
            {"WORLD_SIZE", std::to_string(size)},
            {"MASTER_ADDR", "127.0.0.1"},
            {"MASTER_PORT", std::to_string(port)},
            {"TEST_TIMEOUT_MS", "5000"}};
}

}  // namespace

TEST_CASE("different configurations are one clear message on every rank") {
    const auto ranks = run_world(3, {"configuration"});
    for (const auto& rank : ranks) {
        CAPTURE(rank.output);
        CHECK(rank.exit_code == 3);
        // The message names the keys that differ, with their values and ranks, and no others.
        for (const char* part : {"aim.target",
                                 "'tower?' on rank 1",
                                 "tracing.seed",
                                 "'42' on ranks 0 and 2",
                                 "'7' on rank 1"})
            CHECK_THAT(rank.output, ContainsSubstring(part));
        CHECK_THAT(rank.output, !ContainsSubstring("dni"));
    }
}

TEST_CASE("a problem of one rank is reported on all ranks, before anything else is compared") {
    for (const char* bad : {"0", "2"}) {
        const auto ranks = run_world(3, {"not_ready", bad});
        for (const auto& rank : ranks) {
            CAPTURE(bad, rank.output);
            CHECK(rank.exit_code == 0);
            CHECK(rank.seconds < 15.0 * kPatience);
        }
    }
}

TEST_CASE("different versions are one clear message") {
    for (const char* difference : {"build", "format"}) {
        const auto ranks = run_world(2, {"other_version", difference});
        CAPTURE(difference, ranks[0].output, ranks[1].output);
        CHECK(ranks[0].exit_code == 3);
        CHECK_THAT(ranks[0].output, ContainsSubstring("different versions of the program"));
    }
}

TEST_CASE("ranks that cannot connect name the missing rank or the cause") {
    // Four runs at the same time, since each lasts until its time-out.
    const int absent = free_port(), alone = free_port(), twice = free_port(), taken = free_port();
    const auto ranks = run_ranks({"collectives"},
                                 {make_rank_variables(0, 3, absent),
                                  make_rank_variables(2, 3, absent),
                                  make_rank_variables(1, 2, alone),
                                  make_rank_variables(0, 3, twice),
                                  make_rank_variables(1, 3, twice),
                                  make_rank_variables(1, 3, twice),
                                  make_rank_variables(0, 2, taken),
                                  make_rank_variables(0, 2, taken)});
    for (const auto& rank : ranks) {
        CAPTURE(rank.output);
        CHECK(rank.exit_code == 3);
    }
    CHECK_THAT(ranks[0].output, ContainsSubstring("rank 1 of 3 did not start within 5 s"));
    CHECK_THAT(ranks[1].output, ContainsSubstring("rank 1 of 3 did not start within 5 s"));
    CHECK_THAT(ranks[2].output,
               ContainsSubstring("cannot reach the store at 127.0.0.1:") &&
                   ContainsSubstring("MASTER_ADDR"));
    CHECK_THAT(ranks[4].output + ranks[5].output, ContainsSubstring("two processes are rank 1"));
    CHECK_THAT(ranks[6].output + ranks[7].output,
               ContainsSubstring("rank 0 cannot open the store at 127.0.0.1:") &&
                   ContainsSubstring("MASTER_PORT"));
}

TEST_CASE("different numbers of ranks are an error") {
    const int port = free_port();
    const auto ranks = run_ranks(
        {"collectives"}, {make_rank_variables(0, 2, port), make_rank_variables(1, 3, port)});
    for (const auto& rank : ranks) {
        CAPTURE(rank.output);
        CHECK(rank.exit_code == 3);
        CHECK_THAT(rank.output, ContainsSubstring("disagree on the number of ranks"));
    }
}

TEST_CASE("a wrong launcher environment never runs alone") {
    const auto ranks =
        run_ranks({"collectives"}, {{{"RANK", "0"}}, {{"RANK", "x"}, {"WORLD_SIZE", "2"}}});
    for (const auto& rank : ranks) CHECK(rank.exit_code == 2);
    CHECK_THAT(ranks[0].output, ContainsSubstring("WORLD_SIZE is not set"));
    CHECK_THAT(ranks[1].output, ContainsSubstring("RANK='x'"));
}

TEST_CASE("rank 0 serves at a port without an address") {
    const std::string port = std::to_string(free_port());
    auto others = make_rank_variables(1, 2, 1);
    others["MASTER_PORT"] = port;
    const auto ranks = run_ranks(
        {"places"}, {{{"RANK", "0"}, {"WORLD_SIZE", "2"}, {"MASTER_PORT", port}}, others});
    for (const auto& rank : ranks) {
        CAPTURE(rank.output);
        CHECK(rank.exit_code == 0);
    }
    CHECK_THAT(ranks[0].output,
               ContainsSubstring("rank 0: env: local rank 0 of 2") &&
                   ContainsSubstring("rank 1: env: local rank 1 of 2"));
}

TEST_CASE("ranks find each other at an address of IPv6") {
    if (!std::ifstream("/proc/net/if_inet6").good()) HELIORAY_SKIP("this machine has no IPv6");
    for (const char* address : {"::1", "[::1]"}) {
        const std::string port = std::to_string(free_port());
        std::vector<Variables> environments;
        for (const char* rank : {"0", "1"})
            environments.push_back({{"RANK", rank},
                                    {"WORLD_SIZE", "2"},
                                    {"MASTER_ADDR", address},
                                    {"MASTER_PORT", port},
                                    {"TEST_TIMEOUT_MS", "8000"}});
        for (const auto& rank : run_ranks({"collectives"}, environments)) {
            CAPTURE(address, rank.output);
            CHECK(rank.exit_code == 0);
        }
    }
}

TEST_CASE("ranks without enough descriptors raise their limit or name the number") {
    const auto run = [](const std::string& limits) {
        return run_command(
            limits +
            " && { for r in 0 1 2 3; do RANK=$r WORLD_SIZE=4 MASTER_ADDR=127.0.0.1 MASTER_PORT=" +
            std::to_string(free_port()) +
            " TEST_TIMEOUT_MS=5000 '" HELIORAY_RANK_PROGRAM
            "' collectives & done; wait $!; echo code $?; wait; }");
    };
    const auto raised = run("ulimit -Sn 24");
    CAPTURE(raised.output);
    CHECK_THAT(raised.output, ContainsSubstring("code 0"));
    const auto refused = run("ulimit -n 24");
    CAPTURE(refused.output);
    CHECK_THAT(refused.output,
               ContainsSubstring("too many open files: it needs ") && ContainsSubstring("ulimit"));
}

TEST_CASE("the file with the address of the store is accessible to this user only") {
    const std::string folder = run_command("mktemp -d").output;
    const std::string file = folder.substr(0, folder.find('\n')) + "/store";
    const Variables environment{{"RANK", "1"},
                                {"WORLD_SIZE", "2"},
                                {"HELIORAY_STORE", "file://" + file},
                                {"TEST_TIMEOUT_MS", "5000"}};
    // A file that another user could have written is refused.
    run_command("printf 'helioray-store-1\\n1\\ns\\n127.0.0.1\\n' > " + file + ".0; chmod 666 " +
                file + ".0");
    const auto fooled = run_ranks({"collectives"}, {environment}).front();
    CHECK(fooled.exit_code == 3);
    CHECK_THAT(fooled.output, ContainsSubstring("can be read or written by other users"));
    run_command("rm " + file + ".0");

    // Rank 0 removes the file when its wait for the other rank times out.
    const auto shown = run_command(
        "RANK=0 WORLD_SIZE=2 TEST_TIMEOUT_MS=5000 HELIORAY_STORE=file://" + file +
        " '" HELIORAY_RANK_PROGRAM "' collectives & pid=$!; while kill -0 $pid && ! stat -c %a " +
        file + ".0 2>/dev/null; do sleep 0.05; done; wait");
    CHECK_THAT(shown.output, ContainsSubstring("600\n"));
    run_command("rm -r " + file.substr(0, file.rfind('/')));
}

TEST_CASE("ranks that connect through a file remove it") {
    const std::string folder = run_command("mktemp -d").output;
    const std::string file = folder.substr(0, folder.find('\n')) + "/store";
    for (const char* scenario : {"collectives", "twice"}) {
        std::vector<Variables> environments;
        for (const char* rank : {"0", "1", "2"})
            environments.push_back(
                {{"RANK", rank}, {"WORLD_SIZE", "3"}, {"HELIORAY_STORE", "file://" + file}});
        for (const auto& rank : run_ranks({scenario}, environments)) {
            CAPTURE(rank.output);
            CHECK(rank.exit_code == 0);
        }
        CHECK(run_command("ls -A " + file.substr(0, file.rfind('/'))).output == "");
    }

    // The end of rank 0, which serves the store, is detected, and its file does not disturb the
    // next run.
    std::vector<Variables> two;
    for (const char* rank : {"0", "1"})
        two.push_back({{"RANK", rank},
                       {"WORLD_SIZE", "2"},
                       {"HELIORAY_STORE", "file://" + file},
                       {"TEST_TIMEOUT_MS", "5000"}});
    auto ranks = run_ranks({"dies_in_collective", "0"}, two);
    CAPTURE(ranks[1].output);
    CHECK(ranks[1].exit_code == 3);
    CHECK_THAT(ranks[1].output,
               ContainsSubstring("rank 0 on host ") && ContainsSubstring("is gone"));
    ranks = run_ranks({"collectives"}, two);
    for (const auto& rank : ranks) {
        CAPTURE(rank.output);
        CHECK(rank.exit_code == 0);
    }
    run_command("rm -r " + file.substr(0, file.rfind('/')));

    const auto missing = run_ranks(
        {"collectives"},
        {{{"RANK", "0"}, {"WORLD_SIZE", "2"}, {"HELIORAY_STORE", "file:///nowhere/store"}}});
    CHECK(missing[0].exit_code == 3);
    CHECK_THAT(missing[0].output,
               ContainsSubstring("/nowhere/store") && ContainsSubstring("HELIORAY_STORE"));
}
