// SPDX-License-Identifier: MIT
// Real launchers, where they are installed: torchrun (HELIORAY_TORCHRUN or PATH), mpirun.
#include "tests/distributed/rank_runner.h"
#include "tests/support/catch2.h"

#include <cstdlib>

using namespace helioray::test;

namespace {

std::string torchrun() {
    if (const char* path = std::getenv("HELIORAY_TORCHRUN")) return path;
    return run_command("command -v torchrun").exit_code == 0 ? "torchrun" : "";
}

const std::string program = HELIORAY_RANK_PROGRAM;

}  // namespace

TEST_CASE("ranks of torchrun") {
    if (torchrun().empty()) HELIORAY_SKIP("torchrun is not installed");
    const std::string start =
        torchrun() + " --no-python --standalone --nproc-per-node 2 " + program;
    const auto good = run_command(start + " show");
    CAPTURE(good.output);
    CHECK(good.exit_code == 0);
    CHECK_THAT(good.output, ContainsSubstring("launcher=torchrun ranks=2"));

    const auto bad = run_command(start + " reports 1");
    CAPTURE(bad.output);
    CHECK(bad.exit_code != 0);
    CHECK_THAT(bad.output, ContainsSubstring("failed: the disk is full"));
}

TEST_CASE("ranks of mpirun") {
    if (run_command("command -v mpirun").exit_code != 0) HELIORAY_SKIP("mpirun is not installed");
    const auto good = run_command(
        "OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 mpirun --oversubscribe -np 3 " +
        program + " show");
    CAPTURE(good.output);
    CHECK(good.exit_code == 0);
    CHECK_THAT(good.output, ContainsSubstring("launcher=openmpi ranks=3"));
}
