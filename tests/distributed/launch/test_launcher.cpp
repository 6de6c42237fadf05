// SPDX-License-Identifier: MIT
// Correct launcher environments, and the LaunchInfo that they give.
#include "distributed/launch/launcher.h"
#include "tests/support/catch2.h"

#include <map>

using helioray::detect_launcher;
using helioray::EnvironmentView;
using helioray::expand_node_list;
using helioray::Launcher;

TEST_CASE("an empty environment is one process") {
    const auto info = detect_launcher({{"HOME", "/root"}});
    CHECK(info.launcher == Launcher::single);
    CHECK(info.rank == 0);
    CHECK(info.world_size == 1);
    CHECK(info.local_rank == 0);
    CHECK(info.master_addr.empty());
    CHECK(info.variables.empty());
    CHECK(info.warnings.empty());
}

TEST_CASE("variables set by hand") {
    EnvironmentView view{
        {"RANK", "3"}, {"WORLD_SIZE", "4"}, {"MASTER_ADDR", "node1"}, {"MASTER_PORT", "29501"}};
    auto info = detect_launcher(view);
    CHECK(info.launcher == Launcher::env);
    CHECK(info.rank == 3);
    CHECK(info.world_size == 4);
    // No variable contains the number of ranks on this machine.
    CHECK(info.local_world_size == 0);
    CHECK_THAT(describe(info), ContainsSubstring("determined when the ranks connect"));
    CHECK(info.master_addr == "node1");
    CHECK(info.master_port == 29501);
    CHECK_FALSE(info.launcher_owns_store);

    SECTION("local rank follows from a local size") {
        view.set("LOCAL_WORLD_SIZE", "2");
        info = detect_launcher(view);
        CHECK(info.local_rank == 1);
        CHECK(info.local_world_size == 2);
    }
    SECTION("or is given") {
        view.set("LOCAL_WORLD_SIZE", "2");
        view.set("LOCAL_RANK", "0");
        CHECK(detect_launcher(view).local_rank == 0);
    }
    SECTION("the run has a name only if it is given") {
        CHECK(info.run_id.empty());
        view.set("HELIORAY_RUN_ID", "field 7");
        CHECK(detect_launcher(view).run_id == "field 7");
    }
    SECTION("one rank needs no address") {
        info = detect_launcher({{"RANK", "0"}, {"WORLD_SIZE", "1"}});
        CHECK(info.launcher == Launcher::env);
        CHECK(info.world_size == 1);
    }
}

TEST_CASE("forms of the store's address") {
    const auto read = [](const std::string& address, const std::string& port) {
        EnvironmentView view{{"RANK", "0"}, {"WORLD_SIZE", "2"}, {"MASTER_ADDR", address}};
        if (!port.empty()) view.set("MASTER_PORT", port);
        const auto info = detect_launcher(view);
        return info.master_addr + " " + std::to_string(info.master_port);
    };
    CHECK(read("node1", "1") == "node1 1");
    CHECK(read("node1:65535", "") == "node1 65535");
    CHECK(read("10.0.0.1:29500", "29500") == "10.0.0.1 29500");
    CHECK(read("[fe80::1]:29500", "") == "fe80::1 29500");
    CHECK(read("[fe80::1]", "29500") == "fe80::1 29500");
    CHECK(read("fe80::1", "29500") == "fe80::1 29500");
}

TEST_CASE("torchrun") {
    EnvironmentView view{{"RANK", "5"},
                         {"WORLD_SIZE", "8"},
                         {"LOCAL_RANK", "1"},
                         {"LOCAL_WORLD_SIZE", "4"},
                         {"MASTER_ADDR", "node1"},
                         {"MASTER_PORT", "29501"},
                         {"TORCHELASTIC_RUN_ID", "run7"},
                         {"TORCHELASTIC_RESTART_COUNT", "2"},
                         {"TORCHELASTIC_USE_AGENT_STORE", "True"},
                         {"SLURM_STEP_ID", "0"},
                         {"SLURM_STEP_NODELIST", "n[1-2]"},
                         {"SLURM_PROCID", "1"},
                         {"SLURM_STEP_NUM_TASKS", "2"}};
    const auto info = detect_launcher(view);
    CHECK(info.launcher == Launcher::torchrun);
    CHECK(info.rank == 5);
    CHECK(info.local_rank == 1);
    CHECK(info.local_world_size == 4);
    CHECK(info.run_id == "run7");
    CHECK(info.restart_count == 2);
    CHECK(info.launcher_owns_store);
    CHECK(info.warnings.empty());

    view.set("TORCHELASTIC_USE_AGENT_STORE", "False");
    CHECK_FALSE(detect_launcher(view).launcher_owns_store);
}

TEST_CASE("Open MPI") {
    EnvironmentView view{{"OMPI_COMM_WORLD_RANK", "1"},
                         {"OMPI_COMM_WORLD_SIZE", "2"},
                         {"OMPI_COMM_WORLD_LOCAL_RANK", "1"},
                         {"OMPI_COMM_WORLD_LOCAL_SIZE", "2"}};
    auto info = detect_launcher(view);
    CHECK(info.launcher == Launcher::openmpi);
    CHECK(info.rank == 1);
    CHECK(info.local_rank == 1);
    CHECK(info.master_addr == "127.0.0.1");
    CHECK(info.master_port == 29500);

    // Two jobs on one machine get different ports.
    view.set("PMIX_NAMESPACE", "3312910337");
    const int first = detect_launcher(view).master_port;
    view.set("PMIX_NAMESPACE", "3312910338");
    const int second = detect_launcher(view).master_port;
    CHECK(first != second);
    CHECK(first >= 15000);
    CHECK(first < 35000);

    view.set("OMPI_COMM_WORLD_LOCAL_SIZE", "1");
    view.set("OMPI_COMM_WORLD_LOCAL_RANK", "0");
    view.set("MASTER_ADDR", "node1");
    view.set("MASTER_PORT", "4000");
    info = detect_launcher(view);
    CHECK(info.master_addr == "node1");
    CHECK(info.master_port == 4000);
}

TEST_CASE("Open MPI on several machines takes the address of mpirun") {
    EnvironmentView view{
        {"OMPI_COMM_WORLD_RANK", "1"},
        {"OMPI_COMM_WORLD_SIZE", "4"},
        {"OMPI_COMM_WORLD_LOCAL_RANK", "1"},
        {"OMPI_COMM_WORLD_LOCAL_SIZE", "2"},
        {"PMIX_NAMESPACE", "3312910337"},
        {"OMPI_MCA_orte_hnp_uri", "70.0;tcp://10.0.0.7,192.168.3.1:34971;tcp6://[fd00::2]:46353"}};
    CHECK(detect_launcher(view).master_addr == "10.0.0.7");
    CHECK(detect_launcher(view).master_port >= 15000);
    view.set("MASTER_ADDR", "node1");
    CHECK(detect_launcher(view).master_addr == "node1");
}

TEST_CASE("Open MPI 5 on several machines takes the name of the machine of mpirun") {
    EnvironmentView view{{"OMPI_COMM_WORLD_RANK", "1"},
                         {"OMPI_COMM_WORLD_SIZE", "4"},
                         {"OMPI_COMM_WORLD_LOCAL_RANK", "1"},
                         {"OMPI_COMM_WORLD_LOCAL_SIZE", "2"},
                         {"PMIX_NAMESPACE", "prterun-rack-2-node1-4711@1"}};
    CHECK(detect_launcher(view).master_addr == "rack-2-node1");
    CHECK(detect_launcher(view).master_port >= 15000);
    for (const char* nameless : {"prterun-4711@1", "prterun@1", "4711-node1-5@1"}) {
        view.set("PMIX_NAMESPACE", nameless);
        CHECK_THROWS_WITH(detect_launcher(view), ContainsSubstring("MASTER_ADDR is not set"));
    }
    view.set("MASTER_ADDR", "node2");
    CHECK(detect_launcher(view).master_addr == "node2");
}

TEST_CASE("PMI launchers on several machines publish the store") {
    EnvironmentView view{{"PMI_RANK", "2"},
                         {"PMI_SIZE", "4"},
                         {"PMI_FD", "6"},
                         {"MPI_LOCALRANKID", "0"},
                         {"MPI_LOCALNRANKS", "2"}};
    CHECK(detect_launcher(view).pmi_socket == 6);
    CHECK_THAT(describe(detect_launcher(view)), ContainsSubstring("published"));
    view.set("HELIORAY_STORE", "tcp://node1:4000");
    CHECK(detect_launcher(view).pmi_socket == -1);
    CHECK(detect_launcher(view).master_addr == "node1");
}

TEST_CASE("rank 0 needs no address") {
    EnvironmentView view{{"RANK", "0"}, {"WORLD_SIZE", "4"}, {"MASTER_PORT", "29500"}};
    const auto info = detect_launcher(view);
    CHECK(info.launcher == Launcher::env);
    CHECK(info.master_addr.empty());
    CHECK(info.master_port == 29500);
    CHECK_THAT(describe(info), ContainsSubstring("port 29500 of this machine"));
    view.set("RANK", "1");
    CHECK_THROWS_WITH(detect_launcher(view),
                      ContainsSubstring("MASTER_ADDR is not set; set MASTER_ADDR to the host of "
                                        "rank 0"));
}

TEST_CASE("PMI launchers") {
    const auto info = detect_launcher(
        {{"PMI_RANK", "2"}, {"PMI_SIZE", "3"}, {"MPI_LOCALRANKID", "2"}, {"MPI_LOCALNRANKS", "3"}});
    CHECK(info.launcher == Launcher::mpich);
    CHECK(info.rank == 2);
    CHECK(info.local_rank == 2);
    CHECK(info.master_addr == "127.0.0.1");
}

TEST_CASE("a step of SLURM") {
    EnvironmentView view{{"SLURM_PROCID", "3"},
                         {"SLURM_NTASKS", "4"},
                         {"SLURM_LOCALID", "1"},
                         {"SLURM_JOB_ID", "1234"},
                         {"SLURM_STEP_ID", "0"},
                         {"SLURM_STEP_NODELIST", "gpu[03-04]"},
                         {"SLURM_LAUNCH_NODE_IPADDR", "10.9.9.9"},
                         {"PMI_RANK", "3"},
                         {"PMI_SIZE", "4"}};
    auto info = detect_launcher(view);
    CHECK(info.launcher == Launcher::slurm);
    CHECK(info.rank == 3);
    CHECK(info.world_size == 4);
    CHECK(info.local_rank == 1);
    CHECK(info.master_addr == "gpu03");
    CHECK(info.master_port >= 15000);
    CHECK(info.master_port < 35000);
    CHECK(info.run_id == "1234.0");

    SECTION("tasks of this node") {
        const auto size_at = [&](const std::string& list, const std::string& node) {
            view.set("SLURM_STEP_TASKS_PER_NODE", list);
            view.set("SLURM_NODEID", node);
            return detect_launcher(view).local_world_size;
        };
        CHECK(info.local_world_size == 0);
        CHECK(size_at("2(x2)", "1") == 2);
        CHECK(size_at("3,1", "0") == 3);
        CHECK(size_at("1(x3),2", "3") == 2);
        CHECK(size_at("2", "5") == 0);
        for (const char* list : {"x", "2(xx)", "9", "2(y)", "-1"})
            CHECK_THROWS_WITH(size_at(list, "0"), ContainsSubstring("SLURM_STEP_TASKS_PER_NODE"));
    }
    SECTION("two steps of a job have different ports, all ranks of one step the same") {
        const int port = info.master_port;
        view.set("SLURM_PROCID", "0");
        view.set("SLURM_LOCALID", "0");
        CHECK(detect_launcher(view).master_port == port);
        view.set("SLURM_STEP_ID", "1");
        CHECK(detect_launcher(view).master_port != port);
    }
    SECTION("an address set by the user is taken") {
        view.set("MASTER_ADDR", "head:5000");
        info = detect_launcher(view);
        CHECK(info.master_addr == "head");
        CHECK(info.master_port == 5000);
    }
    SECTION("old name of the number of tasks") {
        const auto old = detect_launcher({{"SLURM_PROCID", "1"},
                                          {"SLURM_NPROCS", "2"},
                                          {"SLURM_JOB_ID", "9"},
                                          {"SLURM_STEP_ID", "0"},
                                          {"SLURM_STEP_NODELIST", "a,b"}});
        CHECK(old.world_size == 2);
        CHECK(old.master_addr == "a");
    }
}

TEST_CASE("ranks of mpirun and mpiexec whose helpers srun started") {
    const std::map<std::string, std::string> step{{"SLURM_JOB_ID", "12"},
                                                  {"SLURM_STEP_ID", "0"},
                                                  {"SLURM_STEP_NODELIST", "n[1-2]"},
                                                  {"SLURM_STEP_NUM_TASKS", "2"},
                                                  {"SLURM_PROCID", "1"}};
    const auto detect = [&](std::map<std::string, std::string> variables) {
        variables.insert(step.begin(), step.end());
        EnvironmentView view;
        for (const auto& [name, value] : variables) view.set(name, value);
        return detect_launcher(view);
    };
    const auto mpiexec = detect({{"PMI_RANK", "3"},
                                 {"PMI_SIZE", "4"},
                                 {"PMI_FD", "5"},
                                 {"MPI_LOCALRANKID", "1"},
                                 {"MPI_LOCALNRANKS", "2"}});
    CHECK(mpiexec.launcher == Launcher::mpich);
    CHECK((mpiexec.rank == 3 && mpiexec.world_size == 4 && mpiexec.local_rank == 1));
    CHECK(mpiexec.warnings.empty());
    const auto mpirun = detect({{"OMPI_COMM_WORLD_RANK", "3"},
                                {"OMPI_COMM_WORLD_SIZE", "4"},
                                {"MASTER_ADDR", "n1"},
                                {"MASTER_PORT", "4000"}});
    CHECK(mpirun.launcher == Launcher::openmpi);
    CHECK(mpirun.warnings.empty());
    // srun with a PMI plugin sets PMI variables, too.
    const auto srun = detect({{"PMI_RANK", "1"}, {"PMI_SIZE", "2"}, {"PMI_FD", "5"}});
    CHECK(srun.launcher == Launcher::slurm);
    CHECK((srun.rank == 1 && srun.world_size == 2));
}

TEST_CASE("a SLURM job without a step is one process") {
    EnvironmentView view{{"SLURM_PROCID", "0"}, {"SLURM_NTASKS", "4"}, {"SLURM_JOB_ID", "12"}};
    CHECK(detect_launcher(view).launcher == Launcher::single);
    CHECK(detect_launcher(view).world_size == 1);

    // The interactive step of salloc has a number, but is not a step of srun.
    view.set("SLURM_STEP_ID", "4294967290");
    view.set("SLURM_STEP_NODELIST", "n1");
    CHECK(detect_launcher(view).launcher == Launcher::single);
}

TEST_CASE("the launcher can be chosen") {
    EnvironmentView view{{"RANK", "1"},
                         {"WORLD_SIZE", "2"},
                         {"MASTER_ADDR", "a"},
                         {"MASTER_PORT", "1000"},
                         {"OMPI_COMM_WORLD_RANK", "2"},
                         {"OMPI_COMM_WORLD_SIZE", "3"},
                         {"OMPI_COMM_WORLD_LOCAL_RANK", "2"},
                         {"OMPI_COMM_WORLD_LOCAL_SIZE", "3"}};
    auto info = detect_launcher(view);
    CHECK(info.launcher == Launcher::env);
    REQUIRE(info.warnings.size() == 1);
    CHECK(info.warnings[0].find("OMPI_COMM_WORLD_SIZE=3") != std::string::npos);

    view.set("HELIORAY_LAUNCHER", "openmpi");
    info = detect_launcher(view);
    CHECK(info.launcher == Launcher::openmpi);
    CHECK(info.rank == 2);
    CHECK(info.master_addr == "a");

    view.set("HELIORAY_LAUNCHER", "single");
    CHECK(detect_launcher(view).world_size == 1);
    CHECK(detect_launcher(view).warnings.empty());

    view.set("HELIORAY_LAUNCHER", "local");
    view.set("HELIORAY_STORE", "file:///tmp/x");
    view.set("HELIORAY_SECRET", "not to be shown");
    info = detect_launcher(view);
    CHECK(info.launcher == Launcher::local);
    CHECK(info.store_file == "/tmp/x");
    CHECK(info.secret == "not to be shown");
    for (const auto& [name, value] : info.variables) CHECK(value != info.secret);
}

TEST_CASE("node lists") {
    using Names = std::vector<std::string>;
    CHECK(expand_node_list("n1") == Names{"n1"});
    CHECK(expand_node_list("n[01-03,7],login") == Names{"n01", "n02", "n03", "n7", "login"});
    CHECK(expand_node_list("gpu[9-11]") == Names{"gpu9", "gpu10", "gpu11"});
    CHECK(expand_node_list("r[1-2]n[01-02]") == Names{"r1n01", "r1n02", "r2n01", "r2n02"});
    CHECK(expand_node_list("a-b.c_d[098-100].example.org") ==
          Names{"a-b.c_d098.example.org", "a-b.c_d099.example.org", "a-b.c_d100.example.org"});
    CHECK(expand_node_list("n[00001-99999]").size() == 99'999);
    for (const char* bad : {"",
                            ",",
                            "n[",
                            "n[1",
                            "n[]",
                            "n[1-]",
                            "n[-2]",
                            "n[3-1]",
                            "n[1,]",
                            "n1,",
                            "n[1a]",
                            "n 1",
                            "n]1",
                            "n[0-99999999]",
                            "n[99999999999999999999]"}) {
        CAPTURE(bad);
        CHECK_THROWS_AS(expand_node_list(bad), helioray::LaunchError);
    }
}

TEST_CASE("description of a launcher") {
    const auto info = detect_launcher(
        {{"RANK", "1"}, {"WORLD_SIZE", "2"}, {"MASTER_ADDR", "::1"}, {"MASTER_PORT", "29501"}});
    const auto text = describe(info);
    CHECK_THAT(text, ContainsSubstring("launcher    env (RANK or WORLD_SIZE is set)\n"));
    CHECK_THAT(text, ContainsSubstring("rank        1 of 2\n"));
    CHECK_THAT(text, ContainsSubstring("store       [::1]:29501 served by rank 0\n"));
    CHECK_THAT(text, ContainsSubstring("variable    MASTER_PORT=29501\n"));
    CHECK_THAT(describe(detect_launcher({})), ContainsSubstring("no network"));
}

TEST_CASE("HELIORAY_STORE has precedence over the launcher's store") {
    EnvironmentView by_hand{
        {"RANK", "1"}, {"WORLD_SIZE", "2"}, {"HELIORAY_STORE", "file:///shared/run 7"}};
    auto info = detect_launcher(by_hand);
    CHECK(info.store_file == "/shared/run 7");
    CHECK(info.master_addr.empty());
    CHECK_FALSE(info.launcher_owns_store);
    CHECK_THAT(describe(info), ContainsSubstring("file /shared/run 7"));

    // Open MPI on several machines sets no address.
    EnvironmentView several{{"OMPI_COMM_WORLD_RANK", "1"},
                            {"OMPI_COMM_WORLD_SIZE", "4"},
                            {"OMPI_COMM_WORLD_LOCAL_RANK", "1"},
                            {"OMPI_COMM_WORLD_LOCAL_SIZE", "2"},
                            {"HELIORAY_STORE", "tcp://[fe80::1]:4711"}};
    info = detect_launcher(several);
    CHECK(info.launcher == Launcher::openmpi);
    CHECK(info.master_addr == "fe80::1");
    CHECK(info.master_port == 4711);

    EnvironmentView agent{{"RANK", "0"},
                          {"WORLD_SIZE", "2"},
                          {"MASTER_ADDR", "a"},
                          {"MASTER_PORT", "1"},
                          {"TORCHELASTIC_RUN_ID", "x"},
                          {"TORCHELASTIC_USE_AGENT_STORE", "True"},
                          {"HELIORAY_STORE", "tcp://b:2"}};
    info = detect_launcher(agent);
    CHECK(info.master_addr == "b");
    CHECK_FALSE(info.launcher_owns_store);
}

TEST_CASE("explicit settings") {
    const auto tcp = helioray::launch_at("tcp://node1:29500", 2, 3);
    CHECK(tcp.rank == 2);
    CHECK(tcp.world_size == 3);
    CHECK(tcp.master_addr == "node1");
    CHECK(tcp.master_port == 29500);
    CHECK(helioray::launch_at("file:///tmp/x", 0, 2).store_file == "/tmp/x");
    CHECK(helioray::launch_at("", 0, 1).world_size == 1);
    for (const char* store : {"",
                              "node1:29500",
                              "tcp://node1",
                              "tcp://node1:0",
                              "file://relative",
                              "file:///",
                              "udp://a:1"})
        CHECK_THROWS_AS(helioray::launch_at(store, 0, 2), std::invalid_argument);
    CHECK_THROWS_AS(helioray::launch_at("tcp://a:1", 2, 2), std::invalid_argument);
    CHECK_THROWS_AS(helioray::launch_at("tcp://a:1", 0, 0), std::invalid_argument);
}
