// SPDX-License-Identifier: MIT
// Detection of the launcher from environment variables.
#include "distributed/launcher.h"

#include "distributed/variables.h"

#include <algorithm>
#include <array>

extern char** environ;

namespace helioray {
namespace {

using detail::kMaxPort;
using detail::kMaxWorldSize;
using detail::VariableReader;

constexpr int kDefaultPort = 29'500;

std::string launch_message(const std::string& variable,
                           const std::string& value,
                           const std::string& reason,
                           const std::string& advice) {
    std::string message = "environment variable " + variable;
    if (!value.empty()) message += "='" + value + "'";
    message += " " + reason;
    if (!advice.empty()) message += "; " + advice;
    return message;
}

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

void set_store(LaunchInfo& info, const detail::StoreAddress& address) {
    info.store_file = address.file;
    info.master_addr = address.tcp.host;
    info.master_port = address.tcp.port.value_or(0);
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
        set_store(info, detail::parse_store(*store, "HELIORAY_STORE"));
        return;
    }
    const std::string text = default_addr.empty() || read.has("MASTER_ADDR")
                                 ? read.required_text("MASTER_ADDR", advice)
                                 : default_addr;
    const auto address = detail::parse_host_port(text, "MASTER_ADDR");
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

/// True in a process that srun started. The body of a batch script has SLURM_PROCID and
/// SLURM_NTASKS too, but no step, or one of the special steps that SLURM numbers from 2^32 - 6 on.
bool is_slurm_step(const EnvironmentView& environment) {
    const auto step = environment.get("SLURM_STEP_ID");
    if (!step || !environment.has("SLURM_STEP_NODELIST") || !environment.has("SLURM_PROCID"))
        return false;
    if (step->empty() || step->find_first_not_of("0123456789") != std::string::npos) return false;
    return step->size() < 10 || (step->size() == 10 && *step < "4294967290");
}

bool any_of(const EnvironmentView& environment, std::initializer_list<const char*> names) {
    return std::any_of(
        names.begin(), names.end(), [&](const char* name) { return environment.has(name); });
}

/// Launcher named by HELIORAY_LAUNCHER.
Launcher forced_launcher(const std::string& name) {
    for (const Launcher launcher : {Launcher::single,
                                    Launcher::env,
                                    Launcher::torchrun,
                                    Launcher::openmpi,
                                    Launcher::mpich,
                                    Launcher::slurm,
                                    Launcher::local})
        if (to_string(launcher) == name) return launcher;
    throw LaunchError("HELIORAY_LAUNCHER",
                      name,
                      "is not a launcher",
                      "use single, env, torchrun, openmpi, mpich or slurm");
}

/// The most specific launcher that left a trace, and the sentence that says why.
std::pair<Launcher, std::string> choose(const EnvironmentView& environment) {
    if (any_of(environment, {"RANK", "WORLD_SIZE"})) {
        if (environment.has("TORCHELASTIC_RUN_ID"))
            return {Launcher::torchrun, "RANK, WORLD_SIZE and TORCHELASTIC_RUN_ID are set"};
        return {Launcher::env, "RANK or WORLD_SIZE is set"};
    }
    if (any_of(environment, {"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"}))
        return {Launcher::openmpi, "OMPI_COMM_WORLD_RANK or OMPI_COMM_WORLD_SIZE is set"};
    // srun with a PMI plugin sets PMI variables too, but knows the nodes better than they do.
    if (is_slurm_step(environment))
        return {Launcher::slurm, "SLURM_STEP_ID says that srun started this process"};
    if (any_of(environment, {"PMI_RANK", "PMI_SIZE"}))
        return {Launcher::mpich, "PMI_RANK or PMI_SIZE is set"};
    if (any_of(environment, {"SLURM_JOB_ID"}))
        return {Launcher::single, "a SLURM job, but no step of srun: one process"};
    return {Launcher::single, "no launcher variable is set: one process"};
}

/// Notes launchers that were passed over although they speak of another number of processes.
void compare_sizes(const EnvironmentView& environment, LaunchInfo& info) {
    for (const char* name :
         {"WORLD_SIZE", "OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "SLURM_STEP_NUM_TASKS"}) {
        const auto value = environment.get(name);
        const auto used = [&](const auto& entry) { return entry.first == name; };
        if (!value || *value == std::to_string(info.world_size)) continue;
        if (std::any_of(info.variables.begin(), info.variables.end(), used)) continue;
        // srun starts torchrun once per node: fewer tasks than ranks are as they should be.
        if (info.launcher == Launcher::torchrun && std::string(name).rfind("SLURM", 0) == 0)
            continue;
        info.warnings.push_back(to_string(info.launcher) + " says " +
                                std::to_string(info.world_size) + " processes, but " + name + "=" +
                                *value + "; " + to_string(info.launcher) +
                                " is followed (HELIORAY_LAUNCHER chooses another)");
    }
}

}  // namespace

LaunchError::LaunchError(std::string variable,
                         std::string value,
                         std::string reason,
                         std::string advice)
    : std::invalid_argument(launch_message(variable, value, reason, advice)),
      variable_(std::move(variable)),
      value_(std::move(value)),
      reason_(std::move(reason)),
      advice_(std::move(advice)) {}

EnvironmentView EnvironmentView::from_process() {
    EnvironmentView view;
    for (char** entry = environ; entry && *entry; ++entry) {
        const std::string text = *entry;
        const auto equals = text.find('=');
        if (equals != std::string::npos) view.set(text.substr(0, equals), text.substr(equals + 1));
    }
    return view;
}

std::optional<std::string> EnvironmentView::get(const std::string& name) const {
    const auto found = variables_.find(name);
    if (found == variables_.end()) return std::nullopt;
    return found->second;
}

std::string to_string(Launcher launcher) {
    switch (launcher) {
        case Launcher::single:
            return "single";
        case Launcher::env:
            return "env";
        case Launcher::torchrun:
            return "torchrun";
        case Launcher::openmpi:
            return "openmpi";
        case Launcher::mpich:
            return "mpich";
        case Launcher::slurm:
            return "slurm";
        case Launcher::local:
            return "local";
    }
    throw std::logic_error("unknown launcher");
}

LaunchInfo launch_at(const std::string& store, int rank, int world_size) {
    if (world_size < 1 || world_size > kMaxWorldSize || rank < 0 || rank >= world_size)
        throw std::invalid_argument("rank " + std::to_string(rank) + " of " +
                                    std::to_string(world_size) + " ranks is impossible");
    LaunchInfo info;
    info.launcher = Launcher::env;
    info.reason = "given explicitly";
    info.rank = info.local_rank = rank;
    info.world_size = info.local_world_size = world_size;
    try {
        if (world_size > 1) set_store(info, detail::parse_store(store, ""));
    } catch (const LaunchError& error) {
        throw std::invalid_argument("the store '" + store + "' " + error.reason() + "; " +
                                    error.advice());
    }
    return info;
}

LaunchInfo detect_launcher(const EnvironmentView& environment) {
    LaunchInfo info;
    VariableReader read(environment, info);

    // Choose who is believed; from here on a mistake is an error, never a single process.
    if (const auto forced = read.text("HELIORAY_LAUNCHER")) {
        info.launcher = forced_launcher(*forced);
        info.reason = "HELIORAY_LAUNCHER=" + *forced;
    } else {
        std::tie(info.launcher, info.reason) = choose(environment);
    }

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
    if (info.launcher != Launcher::single) compare_sizes(environment, info);
    return info;
}

}  // namespace helioray
