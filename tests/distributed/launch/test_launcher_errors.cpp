// SPDX-License-Identifier: MIT
// Wrong launcher environments: each is an error that names the variable, never a fallback to a
// single process.
#include "distributed/launch/launcher.h"
#include "tests/support/catch2.h"

using helioray::EnvironmentView;
using helioray::LaunchError;

namespace {

/// Returns the variable and the message of the LaunchError for these variables.
std::pair<std::string, std::string> get_error(const EnvironmentView& view) {
    try {
        helioray::detect_launcher(view);
    } catch (const LaunchError& error) {
        return {error.variable(), error.what()};
    }
    return {"no error", "no error"};
}

struct BadEnvironment {
    const char* name;
    std::vector<std::pair<std::string, std::string>> changes;  // "-" removes
    const char* variable;
    const char* text;
};

void check_all(const std::map<std::string, std::string>& good,
               const std::vector<BadEnvironment>& cases) {
    for (const auto& bad : cases) {
        auto variables = good;
        for (const auto& [name, value] : bad.changes) {
            if (value == "-")
                variables.erase(name);
            else
                variables[name] = value;
        }
        EnvironmentView view;
        for (const auto& [name, value] : variables) view.set(name, value);
        CAPTURE(bad.name);
        const auto [variable, message] = get_error(view);
        CHECK(variable == bad.variable);
        CHECK_THAT(message, ContainsSubstring(bad.variable) && ContainsSubstring(bad.text));
    }
}

}  // namespace

TEST_CASE("wrong stores") {
    const std::map<std::string, std::string> good{
        {"RANK", "1"}, {"WORLD_SIZE", "2"}, {"HELIORAY_STORE", "tcp://node1:29500"}};
    check_all(
        good,
        {{"no scheme", {{"HELIORAY_STORE", "node1:29500"}}, "HELIORAY_STORE", "neither tcp://"},
         {"empty", {{"HELIORAY_STORE", ""}}, "HELIORAY_STORE", "neither tcp://"},
         {"no port", {{"HELIORAY_STORE", "tcp://node1"}}, "HELIORAY_STORE", "has no port"},
         {"bad port", {{"HELIORAY_STORE", "tcp://node1:99999"}}, "HELIORAY_STORE", "1 to 65535"},
         {"relative", {{"HELIORAY_STORE", "file://x"}}, "HELIORAY_STORE", "absolute path"},
         {"folder", {{"HELIORAY_STORE", "file:///tmp/"}}, "HELIORAY_STORE", "absolute path"}});
}

TEST_CASE("wrong variables set by hand") {
    const std::map<std::string, std::string> good{
        {"RANK", "1"}, {"WORLD_SIZE", "2"}, {"MASTER_ADDR", "node1"}, {"MASTER_PORT", "29500"}};
    check_all(
        good,
        {{"only a size", {{"RANK", "-"}}, "RANK", "is not set"},
         {"only a rank", {{"WORLD_SIZE", "-"}}, "WORLD_SIZE", "is not set"},
         {"empty rank", {{"RANK", ""}}, "RANK", "not a whole number"},
         {"negative rank", {{"RANK", "-1"}}, "RANK", "not a whole number"},
         {"word", {{"RANK", "one"}}, "RANK", "'one'"},
         {"fraction", {{"RANK", "1.0"}}, "RANK", "'1.0'"},
         {"space", {{"RANK", " 1"}}, "RANK", "not a whole number"},
         {"trailing text", {{"WORLD_SIZE", "2x"}}, "WORLD_SIZE", "'2x'"},
         {"hexadecimal", {{"WORLD_SIZE", "0x2"}}, "WORLD_SIZE", "'0x2'"},
         {"plus", {{"WORLD_SIZE", "+2"}}, "WORLD_SIZE", "'+2'"},
         {"no ranks", {{"WORLD_SIZE", "0"}}, "WORLD_SIZE", "out of range"},
         {"too large for an integer",
          {{"WORLD_SIZE", "99999999999999999999"}},
          "WORLD_SIZE",
          "not a whole"},
         {"rank = size", {{"RANK", "2"}}, "RANK", "not below WORLD_SIZE=2"},
         {"rank > size", {{"RANK", "7"}}, "RANK", "not below"},
         {"no address", {{"MASTER_ADDR", "-"}}, "MASTER_ADDR", "is not set"},
         {"empty address", {{"MASTER_ADDR", ""}}, "MASTER_ADDR", "is empty"},
         {"address with a blank", {{"MASTER_ADDR", "node 1"}}, "MASTER_ADDR", "not a host"},
         {"address with a scheme", {{"MASTER_ADDR", "tcp://node1"}}, "MASTER_ADDR", "not a host"},
         {"no port", {{"MASTER_PORT", "-"}}, "MASTER_PORT", "is not set"},
         {"port zero", {{"MASTER_PORT", "0"}}, "MASTER_PORT", "1 to 65535"},
         {"port too large", {{"MASTER_PORT", "65536"}}, "MASTER_PORT", "1 to 65535"},
         {"port word", {{"MASTER_PORT", "http"}}, "MASTER_PORT", "'http'"},
         {"two ports", {{"MASTER_ADDR", "node1:4000"}}, "MASTER_PORT", "contradicts"},
         {"bad port in address", {{"MASTER_ADDR", "node1:x"}}, "MASTER_ADDR", "port"},
         {"colon without port", {{"MASTER_ADDR", "node1:"}}, "MASTER_ADDR", "port"},
         {"colon without host", {{"MASTER_ADDR", ":29500"}}, "MASTER_ADDR", "no host"},
         {"open bracket", {{"MASTER_ADDR", "[::1"}}, "MASTER_ADDR", "unfinished"},
         {"text after bracket", {{"MASTER_ADDR", "[::1]x"}}, "MASTER_ADDR", "after [address]"},
         {"local rank not below local size",
          {{"LOCAL_RANK", "1"}, {"LOCAL_WORLD_SIZE", "1"}},
          "LOCAL_RANK",
          "not below"},
         {"local size above size", {{"LOCAL_WORLD_SIZE", "3"}}, "LOCAL_WORLD_SIZE", "out of range"},
         {"local rank word", {{"LOCAL_RANK", "a"}}, "LOCAL_RANK", "'a'"},
         {"unknown launcher", {{"HELIORAY_LAUNCHER", "pbs"}}, "HELIORAY_LAUNCHER", "'pbs'"},
         {"empty launcher", {{"HELIORAY_LAUNCHER", ""}}, "HELIORAY_LAUNCHER", "is not a launcher"},
         {"launcher without its variables",
          {{"HELIORAY_LAUNCHER", "openmpi"}},
          "OMPI_COMM_WORLD_SIZE",
          "is not set"}});
}

TEST_CASE("wrong variables of torchrun") {
    const std::map<std::string, std::string> good{{"RANK", "1"},
                                                  {"WORLD_SIZE", "2"},
                                                  {"MASTER_ADDR", "a"},
                                                  {"MASTER_PORT", "29500"},
                                                  {"LOCAL_RANK", "1"},
                                                  {"LOCAL_WORLD_SIZE", "2"},
                                                  {"TORCHELASTIC_RUN_ID", "x"}};
    check_all(
        good,
        {{"flag",
          {{"TORCHELASTIC_USE_AGENT_STORE", "yes"}},
          "TORCHELASTIC_USE_AGENT_STORE",
          "'yes'"},
         {"restarts", {{"TORCHELASTIC_RESTART_COUNT", "-1"}}, "TORCHELASTIC_RESTART_COUNT", "'-1'"},
         {"no address", {{"MASTER_ADDR", "-"}}, "MASTER_ADDR", "is not set"}});
}

TEST_CASE("wrong variables of MPI") {
    const std::map<std::string, std::string> good{{"OMPI_COMM_WORLD_RANK", "1"},
                                                  {"OMPI_COMM_WORLD_SIZE", "2"},
                                                  {"OMPI_COMM_WORLD_LOCAL_RANK", "1"},
                                                  {"OMPI_COMM_WORLD_LOCAL_SIZE", "2"}};
    check_all(good,
              {{"no size", {{"OMPI_COMM_WORLD_SIZE", "-"}}, "OMPI_COMM_WORLD_SIZE", "is not set"},
               {"no rank", {{"OMPI_COMM_WORLD_RANK", "-"}}, "OMPI_COMM_WORLD_RANK", "is not set"},
               {"rank", {{"OMPI_COMM_WORLD_RANK", "2"}}, "OMPI_COMM_WORLD_RANK", "not below"},
               {"machines without an address",
                {{"OMPI_COMM_WORLD_LOCAL_SIZE", "1"}, {"OMPI_COMM_WORLD_LOCAL_RANK", "0"}},
                "MASTER_ADDR",
                "mpirun -x"}});
    check_all({{"PMI_RANK", "0"}, {"PMI_SIZE", "2"}},
              {{"PMI without local size", {}, "MASTER_ADDR", "several machines"},
               {"PMI without size", {{"PMI_SIZE", "-"}}, "PMI_SIZE", "is not set"}});
}

TEST_CASE("wrong variables of SLURM") {
    const std::map<std::string, std::string> good{{"SLURM_PROCID", "1"},
                                                  {"SLURM_NTASKS", "2"},
                                                  {"SLURM_LOCALID", "1"},
                                                  {"SLURM_JOB_ID", "77"},
                                                  {"SLURM_STEP_ID", "0"},
                                                  {"SLURM_STEP_NODELIST", "n1"}};
    check_all(good,
              {{"rank", {{"SLURM_PROCID", "2"}}, "SLURM_PROCID", "not below"},
               {"no size", {{"SLURM_NTASKS", "-"}}, "SLURM_NPROCS", "is not set"},
               {"local", {{"SLURM_LOCALID", "x"}}, "SLURM_LOCALID", "'x'"},
               {"job", {{"SLURM_JOB_ID", "-"}}, "SLURM_JOB_ID", "is not set"},
               {"nodes", {{"SLURM_STEP_NODELIST", "n[1"}}, "SLURM_STEP_NODELIST", "unclosed"},
               {"forced outside a step",
                {{"HELIORAY_LAUNCHER", "slurm"}, {"SLURM_STEP_ID", "-"}},
                "SLURM_STEP_ID",
                "srun"}});
}
