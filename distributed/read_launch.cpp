// SPDX-License-Identifier: MIT
// Variables of torchrun, Open MPI, MPICH, SLURM and those set by hand.
#include "distributed/read_launch.h"

#include <algorithm>

namespace helioray::detail {
namespace {

constexpr int kDefaultPort = 29'500;

/// A port from 15000 to 34999 that all ranks derive from the same text (FNV-1a).
int port_from_text(const std::string& text) {
    std::uint64_t hash = 14695981039346656037ULL;
    for (const unsigned char c : text) hash = (hash ^ c) * 1099511628211ULL;
    return static_cast<int>(15'000 + hash % 20'000);
}

/// Rank and size of a launcher's pair of variables, checked against each other.
void read_rank_and_size(VariableReader& read,
                        LaunchInfo& info,
                        const std::string& rank_name,
                        const std::string& size_name) {
    const std::string advice = "set " + rank_name + " and " + size_name +
                               " together, or HELIORAY_LAUNCHER=single for one process";
    info.world_size = static_cast<int>(read.required_integer(size_name, 1, kMaxWorldSize, advice));
    info.rank = static_cast<int>(read.required_integer(rank_name, 0, kMaxWorldSize, advice));
    if (info.rank >= info.world_size)
        throw LaunchError(rank_name,
                          std::to_string(info.rank),
                          "is not below " + size_name + "=" + std::to_string(info.world_size),
                          "ranks count from 0 to size - 1");
}

/// Local rank and size. Where the launcher gives neither, all ranks are taken to be on this
/// machine.
void read_local(VariableReader& read,
                LaunchInfo& info,
                const std::string& rank_name,
                const std::string& size_name) {
    const auto size = read.integer(size_name, 1, info.world_size);
    const auto rank = read.integer(rank_name, 0, info.world_size - 1);
    info.local_world_size = static_cast<int>(size.value_or(info.world_size));
    info.local_rank = static_cast<int>(rank.value_or(size ? info.rank % *size : info.rank));
    if (info.local_rank >= info.local_world_size)
        throw LaunchError(rank_name,
                          std::to_string(info.local_rank),
                          "is not below " + size_name + "=" + std::to_string(info.local_world_size),
                          "local ranks count from 0 to local size - 1");
}

/// Store address from MASTER_ADDR and MASTER_PORT, with the launcher's own idea of either as a
/// default.
void read_master(VariableReader& read,
                 LaunchInfo& info,
                 const std::string& advice,
                 const std::string& default_addr = "",
                 int default_port = 0) {
    if (info.world_size == 1) return;
    if (const auto store = read.text("HELIORAY_STORE")) {
        set_store(info, parse_store(*store, "HELIORAY_STORE"));
        return;
    }
    const std::string text = default_addr.empty() || read.has("MASTER_ADDR")
                                 ? read.required_text("MASTER_ADDR", advice)
                                 : default_addr;
    const auto address = parse_host_port(text, "MASTER_ADDR");
    info.master_addr = address.host;
    const auto port = read.integer("MASTER_PORT", 1, kMaxPort);
    if (port && address.port && *port != *address.port)
        throw LaunchError("MASTER_PORT",
                          std::to_string(*port),
                          "contradicts the port of MASTER_ADDR='" + text + "'",
                          "give the port in one place");
    if (port) {
        info.master_port = static_cast<int>(*port);
    } else if (address.port) {
        info.master_port = *address.port;
    } else if (default_port != 0) {
        info.master_port = default_port;
    } else {
        throw LaunchError("MASTER_PORT", "", "is not set", advice);
    }
}

/// RANK and WORLD_SIZE: by hand, from torchrun, or from our own launcher.
void read_env(VariableReader& read, LaunchInfo& info) {
    read_rank_and_size(read, info, "RANK", "WORLD_SIZE");
    read_local(read, info, "LOCAL_RANK", "LOCAL_WORLD_SIZE");
    read_master(read,
                info,
                "set MASTER_ADDR to the host of rank 0 and MASTER_PORT to a free port there, on "
                "every rank");
    info.run_id = read.text("TORCHELASTIC_RUN_ID").value_or("");
    info.restart_count =
        static_cast<int>(read.integer("TORCHELASTIC_RESTART_COUNT", 0, kMaxWorldSize).value_or(0));
    const std::string owner = info.launcher == Launcher::torchrun ? "TORCHELASTIC_USE_AGENT_STORE"
                                                                  : "HELIORAY_AGENT_STORE";
    // A store that the user names is nobody's but rank 0's.
    const bool own = info.world_size > 1 && read.has("HELIORAY_STORE");
    info.launcher_owns_store = read.flag(owner).value_or(false) && !own;
}

/// Open MPI sets no address: on one machine there is a natural one, else the user must name it.
void read_openmpi(VariableReader& read, LaunchInfo& info) {
    read_rank_and_size(read, info, "OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE");
    read_local(read, info, "OMPI_COMM_WORLD_LOCAL_RANK", "OMPI_COMM_WORLD_LOCAL_SIZE");
    const bool one_machine =
        read.has("OMPI_COMM_WORLD_LOCAL_SIZE") && info.local_world_size == info.world_size;
    for (const char* name : {"PMIX_NAMESPACE", "OMPI_MCA_ess_base_jobid"})
        if (info.run_id.empty()) info.run_id = read.text(name).value_or("");
    read_master(read,
                info,
                "the ranks are on several machines: mpirun -x MASTER_ADDR=<host of rank 0> -x "
                "MASTER_PORT=<free port> ...",
                one_machine ? "127.0.0.1" : "",
                info.run_id.empty() ? kDefaultPort : port_from_text(info.run_id));
}

/// PMI of MPICH, Intel MPI and their relatives.
void read_mpich(VariableReader& read, LaunchInfo& info) {
    read_rank_and_size(read, info, "PMI_RANK", "PMI_SIZE");
    read_local(read, info, "MPI_LOCALRANKID", "MPI_LOCALNRANKS");
    const bool one_machine =
        read.has("MPI_LOCALNRANKS") && info.local_world_size == info.world_size;
    read_master(read,
                info,
                "the ranks may be on several machines: mpiexec -genv MASTER_ADDR <host of rank 0> "
                "-genv MASTER_PORT <free port> ...",
                one_machine ? "127.0.0.1" : "",
                kDefaultPort);
}

/// A step of srun: the first node of the step serves the store, at a port that follows from job and
/// step.
void read_slurm(VariableReader& read, LaunchInfo& info) {
    const char* sizes[] = {"SLURM_STEP_NUM_TASKS", "SLURM_NTASKS", "SLURM_NPROCS"};
    const char** size = std::find_if(
        std::begin(sizes), std::end(sizes) - 1, [&](const char* s) { return read.has(s); });
    read_rank_and_size(read, info, "SLURM_PROCID", *size);
    const auto local_rank = read.integer("SLURM_LOCALID", 0, info.world_size - 1);
    info.local_rank = static_cast<int>(local_rank.value_or(0));
    info.restart_count =
        static_cast<int>(read.integer("SLURM_RESTART_COUNT", 0, kMaxWorldSize).value_or(0));
    const std::string advice =
        "start the program with srun, or set HELIORAY_LAUNCHER=single for one process";
    info.run_id = std::to_string(read.required_integer("SLURM_JOB_ID", 0, INT64_MAX, advice)) +
                  "." + read.required_text("SLURM_STEP_ID", advice);
    const auto nodes = expand_node_list(read.required_text("SLURM_STEP_NODELIST", advice));
    info.local_world_size = nodes.size() == 1 ? info.world_size : std::max(1, info.local_rank + 1);
    read_master(read, info, advice, nodes.front(), port_from_text("slurm " + info.run_id));
}

}  // namespace

void set_store(LaunchInfo& info, const StoreAddress& address) {
    info.store_file = address.file;
    info.master_addr = address.tcp.host;
    info.master_port = address.tcp.port.value_or(0);
}

void read_launch(VariableReader& read, LaunchInfo& info) {
    switch (info.launcher) {
        case Launcher::single:
            break;
        case Launcher::env:
        case Launcher::torchrun:
        case Launcher::local:
            read_env(read, info);
            break;
        case Launcher::openmpi:
            read_openmpi(read, info);
            break;
        case Launcher::mpich:
            read_mpich(read, info);
            break;
        case Launcher::slurm:
            read_slurm(read, info);
            break;
    }
}

}  // namespace helioray::detail
