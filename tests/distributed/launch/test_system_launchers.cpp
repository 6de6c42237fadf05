// SPDX-License-Identifier: MIT
// Tests with real launchers if they are installed: torchrun (HELIORAY_TORCHRUN or PATH), Open MPI
// and MPICH, also on hosts simulated by network namespaces. tests/app/program/ranks/test_slurm.py
// tests SLURM.
#include "kernels/host/processor_cores.h"
#include "tests/distributed/rank_runner.h"
#include "tests/support/catch2.h"

#include <algorithm>
#include <cstdlib>

using namespace helioray::test;

namespace {

std::string torchrun() {
    if (const char* path = std::getenv("HELIORAY_TORCHRUN")) return path;
    return run_command("command -v torchrun").exit_code == 0 ? "torchrun" : "";
}

bool installed(const std::string& name) {
    return run_command("command -v " + name).exit_code == 0;
}

/// Quotes a path for the shell.
std::string quoted(const std::string& path) {
    return "'" + path + "'";
}

std::string script(const std::string& name) {
    return quoted(source_dir() + "/tests/distributed/launch/" + name) + " ";
}

const std::string program = quoted(HELIORAY_RANK_PROGRAM);

}  // namespace

TEST_CASE("ranks of torchrun") {
    if (torchrun().empty()) HELIORAY_SKIP("torchrun is not installed");
    const std::string start =
        quoted(torchrun()) + " --no-python --standalone --nproc-per-node 2 " + program;
    const auto good = run_command(start + " show");
    CAPTURE(good.output);
    CHECK(good.exit_code == 0);
    CHECK_THAT(good.output, ContainsSubstring("launcher=torchrun ranks=2"));

    const auto bad = run_command(start + " reports 1");
    CAPTURE(bad.output);
    CHECK(bad.exit_code != 0);
    CHECK_THAT(bad.output, ContainsSubstring("failed: the disk is full"));
}

TEST_CASE("ranks of torchrun on two nodes") {
    if (torchrun().empty()) HELIORAY_SKIP("torchrun is not installed");
    // Two agents on this machine simulate two nodes.
    for (const std::string rendezvous : {"static", "c10d"}) {
        const std::string port = std::to_string(free_port());
        const std::string common =
            quoted(torchrun()) + " --no-python --nnodes 2 --nproc-per-node 2 ";
        const auto node = [&](int n) {
            return common +
                   (rendezvous == "static"
                        ? "--node-rank " + std::to_string(n) +
                              " --master-addr 127.0.0.1 --master-port " + port
                        : "--rdzv-backend c10d --rdzv-id test --rdzv-endpoint 127.0.0.1:" + port) +
                   " " + program + " show";
        };
        const auto both = run_command(node(1) + " & " + node(0) + " && wait $!", 90);
        CAPTURE(rendezvous, both.output);
        CHECK(both.exit_code == 0);
        CHECK_THAT(both.output, ContainsSubstring("launcher=torchrun ranks=4"));
    }
}

TEST_CASE("ranks of Open MPI") {
    if (!installed("mpirun.openmpi")) HELIORAY_SKIP("Open MPI is not installed");
    const std::string start =
        "OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 mpirun.openmpi --oversubscribe ";
    const auto good = run_command(start + "-np 3 " + program + " show");
    CAPTURE(good.output);
    CHECK(good.exit_code == 0);
    CHECK_THAT(good.output, ContainsSubstring("launcher=openmpi ranks=3"));

    const std::string folder = "$(mktemp -d)";
    const auto in_file =
        run_command("d=" + folder + "; " + start + "-x HELIORAY_STORE=file://$d/store -np 2 " +
                    program + " show; ls -A $d; rmdir $d");
    CAPTURE(in_file.output);
    CHECK(in_file.exit_code == 0);
    CHECK(in_file.output == "launcher=openmpi ranks=2\n");
}

TEST_CASE("ranks of MPICH") {
    if (!installed("mpiexec.hydra")) HELIORAY_SKIP("MPICH is not installed");
    const auto good = run_command("mpiexec.hydra -n 3 " + program + " show");
    CAPTURE(good.output);
    CHECK(good.exit_code == 0);
    CHECK_THAT(good.output, ContainsSubstring("launcher=mpich ranks=3"));
}

TEST_CASE("ranks on two hosts that share no loopback and no processes") {
    const std::string two = script("two_hosts.sh") + "address ";
    if (run_command(two + "true").exit_code == 77)
        HELIORAY_SKIP("network namespaces need root and iproute2");
    const auto good = run_command(two + program + " collectives");
    CAPTURE(good.output);
    CHECK(good.exit_code == 0);
    CHECK_THAT(good.output, ContainsSubstring("host 0: 0") && ContainsSubstring("host 1: 0"));

    const auto killed = run_command(two + program + " dies_while_computing 1");
    CAPTURE(killed.output);
    CHECK_THAT(killed.output, ContainsSubstring("rank 1 on host ") && ContainsSubstring("is gone"));
    CHECK_THAT(killed.output, ContainsSubstring("host 0: 3") && !ContainsSubstring("host 1: 0"));
}

TEST_CASE("four ranks on two hosts that know their own names as loopback addresses") {
    const std::string two = script("two_hosts.sh");
    if (run_command(two + "address true").exit_code == 77)
        HELIORAY_SKIP("network namespaces need root and iproute2");
    struct LaunchMethod {
        std::string name;
        std::string launcher;
        std::vector<int> local_ranks;
        bool installed;
    };
    const LaunchMethod methods[] = {
        {"name", "env", {0, 0, 1, 1}, true},
        {"file", "env", {0, 0, 1, 1}, true},
        {"torchrun", "torchrun", {0, 1, 0, 1}, !torchrun().empty()},
        {"mpiexec", "mpich", {0, 1, 0, 1}, installed("mpiexec.hydra")},
        {"mpirun", "openmpi", {0, 1, 0, 1}, installed("mpirun.openmpi")}};
    const int cores = helioray::kernels::usable_cores();
    for (const LaunchMethod& method : methods) {
        if (!method.installed) {
            WARN(method.name + " is not installed");
            continue;
        }
        const auto ranks =
            run_command("TORCHRUN=" + quoted(torchrun()) + " TEST_TIMEOUT_MS=20000 " + two +
                            method.name + " " + program + " places",
                        60);
        CAPTURE(method.name, ranks.output);
        for (int rank = 0; rank < 4; ++rank)
            CHECK_THAT(ranks.output,
                       ContainsSubstring(
                           "rank " + std::to_string(rank) + ": " + method.launcher +
                           ": local rank " + std::to_string(method.local_ranks[rank]) +
                           " of 2, threads " + std::to_string(std::max(1, cores / 2)) + "\n"));
    }
}

TEST_CASE("ranks that reach the store but not each other report this within the time-out") {
    const std::string two = script("two_hosts.sh");
    if (run_command(two + "address true").exit_code == 77)
        HELIORAY_SKIP("network namespaces need root and iproute2");
    // Each host uses its loopback interface, which the other one cannot reach.
    const auto ranks = run_command("GLOO_SOCKET_IFNAME=lo TEST_TIMEOUT_MS=5000 " + two +
                                   "address " + program + " places");
    CAPTURE(ranks.output);
    CHECK(ranks.seconds < 10.0 * kPatience);
    CHECK_THAT(ranks.output,
               ContainsSubstring("the ranks cannot reach each other") &&
                   ContainsSubstring("GLOO_SOCKET_IFNAME") && ContainsSubstring("host 0: 3") &&
                   ContainsSubstring("host 1: 3"));
    CHECK_THAT(ranks.output, !ContainsSubstring("/gloo/"));
}
