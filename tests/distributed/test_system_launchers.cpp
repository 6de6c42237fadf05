// SPDX-License-Identifier: MIT
// Real launchers, where they are installed: torchrun (HELIORAY_TORCHRUN or PATH), Open MPI,
// MPICH, SLURM; and hosts made of network namespaces.
#include "tests/distributed/rank_runner.h"
#include "tests/support/catch2.h"

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

/// For the shell: the path may have spaces.
std::string quoted(const std::string& path) {
    return "'" + path + "'";
}

std::string script(const std::string& name) {
    return quoted(source_dir() + "/tests/distributed/" + name) + " ";
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
    // Two agents of this machine stand for two nodes; rank 0 of the first prints.
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

TEST_CASE("ranks of srun") {
    const auto cluster = run_command(script("one_node_slurm.sh") + "true", 90);
    if (cluster.exit_code == 77) HELIORAY_SKIP("SLURM cannot be run here: " + cluster.output);
    const auto run = [&](const std::string& command) {
        return run_command(script("one_node_slurm.sh") + command, 90);
    };
    const auto good = run("srun -n 3 --mpi=none " + program + " show");
    CAPTURE(good.output);
    CHECK(good.exit_code == 0);
    CHECK_THAT(good.output, ContainsSubstring("launcher=slurm ranks=3"));

    // The body of a batch script is one process, with SLURM's variables of all its tasks.
    const auto batch =
        run("sbatch --wait --ntasks=2 --output=/dev/stdout --wrap \"" + program + " show\"");
    CAPTURE(batch.output);
    CHECK(batch.exit_code == 0);

    const auto bad = run("srun -n 2 --mpi=none " + program + " reports 1");
    CAPTURE(bad.output);
    CHECK(bad.exit_code != 0);
    CHECK_THAT(bad.output, ContainsSubstring("failed: the disk is full"));
}

TEST_CASE("ranks on two hosts that share no loopback and no processes") {
    const std::string two = script("two_hosts.sh");
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
