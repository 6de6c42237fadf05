// SPDX-License-Identifier: MIT
// The environment variables of torchrun, Open MPI, MPICH and SLURM, and those set by hand.
#include "distributed/launch/launch_variables.h"

#include <algorithm>
#include <charconv>
#include <sstream>

namespace helioray::detail {
namespace {

bool is_all_digits(const std::string& text) {
    return !text.empty() &&
           std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
}

std::optional<std::int64_t> parse_digits(const std::string& text) {
    std::int64_t value = 0;
    if (!is_all_digits(text)) return std::nullopt;
    const auto result = std::from_chars(text.data(), text.data() + text.size(), value);
    if (result.ec != std::errc{}) return std::nullopt;
    return value;
}

}  // namespace

std::optional<std::string> VariableReader::text(const std::string& name) {
    auto value = environment_.get(name);
    if (!value) return std::nullopt;
    const auto used = [&](const auto& entry) { return entry.first == name; };
    if (std::none_of(info_.variables.begin(), info_.variables.end(), used))
        info_.variables.emplace_back(name, *value);
    return value;
}

std::string VariableReader::required_text(const std::string& name, const std::string& advice) {
    const auto value = text(name);
    if (!value) throw LaunchError(name, "", "is not set", advice);
    if (value->empty()) throw LaunchError(name, "", "is empty", advice);
    return *value;
}

std::optional<std::int64_t> VariableReader::integer(const std::string& name,
                                                    std::int64_t lowest,
                                                    std::int64_t highest) {
    const auto value = text(name);
    if (!value) return std::nullopt;
    const auto number = parse_digits(*value);
    if (!number)
        throw LaunchError(name, *value, "is not a whole number", "give decimal digits only");
    if (*number < lowest || *number > highest)
        throw LaunchError(
            name,
            *value,
            "is out of range",
            "give a number from " + std::to_string(lowest) + " to " + std::to_string(highest));
    return number;
}

std::int64_t VariableReader::required_integer(const std::string& name,
                                              std::int64_t lowest,
                                              std::int64_t highest,
                                              const std::string& advice) {
    const auto number = integer(name, lowest, highest);
    if (!number) throw LaunchError(name, "", "is not set", advice);
    return *number;
}

std::optional<bool> VariableReader::flag(const std::string& name) {
    const auto value = text(name);
    if (!value) return std::nullopt;
    if (*value == "True" || *value == "true" || *value == "1") return true;
    if (*value == "False" || *value == "false" || *value == "0") return false;
    throw LaunchError(name, *value, "is neither true nor false", "set it to 1 or 0");
}

HostPort parse_host_port(const std::string& text, const std::string& variable) {
    const auto bad = [&](const std::string& reason) {
        return LaunchError(
            variable, text, reason, "give a host name or address, optionally with :port");
    };
    const auto parse_port = [&](const std::string& digits) {
        const auto port = parse_digits(digits);
        if (!port || *port < 1 || *port > kMaxPort)
            throw bad("has a port that is not a number from 1 to 65535");
        return static_cast<int>(*port);
    };
    if (text.empty()) throw bad("is empty");
    if (text.find_first_of(" \t\r\n/") != std::string::npos)
        throw bad("is not a host name or address");

    // Brackets always enclose an IPv6 address. Without them, two colons indicate one.
    if (text.front() == '[') {
        const auto end = text.find(']');
        if (end == std::string::npos || end == 1) throw bad("has an unfinished [address]");
        HostPort result{text.substr(1, end - 1), std::nullopt};
        if (end + 1 == text.size()) return result;
        if (text[end + 1] != ':') throw bad("has something other than :port after [address]");
        result.port = parse_port(text.substr(end + 2));
        return result;
    }
    const auto colon = text.find(':');
    if (colon == std::string::npos || text.find(':', colon + 1) != std::string::npos)
        return {text, std::nullopt};
    if (colon == 0) throw bad("has no host before the colon");
    return {text.substr(0, colon), parse_port(text.substr(colon + 1))};
}

StoreAddress parse_store(const std::string& text, const std::string& variable) {
    const std::string tcp = "tcp://", file = "file://";
    const auto bad = [&](const std::string& reason) {
        return LaunchError(variable,
                           text,
                           reason,
                           "give tcp://host:port, or file:///path to a file on a file system that "
                           "all ranks share");
    };
    if (text.rfind(file, 0) == 0) {
        StoreAddress address;
        address.file = text.substr(file.size());
        if (address.file.empty() || address.file.front() != '/' || address.file.back() == '/')
            throw bad("is not the absolute path of a file");
        return address;
    }
    if (text.rfind(tcp, 0) != 0) throw bad("is neither tcp:// nor file://");
    StoreAddress address;
    address.tcp = parse_host_port(text.substr(tcp.size()), variable);
    if (!address.tcp.port) throw bad("has no port");
    return address;
}

namespace {

constexpr int kDefaultPort = 29'500;

/// Returns a port from 15000 to 34999 that all ranks derive from the same text (FNV-1a hash).
int derive_port(const std::string& text) {
    std::uint64_t hash = 14695981039346656037ULL;
    for (const unsigned char c : text) hash = (hash ^ c) * 1099511628211ULL;
    return static_cast<int>(15'000 + hash % 20'000);
}

/// Reads rank and size from a launcher's pair of variables and checks that rank < size.
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

/// Reads local rank and local size if the launcher sets them.
void read_local(VariableReader& read,
                LaunchInfo& info,
                const std::string& rank_name,
                const std::string& size_name) {
    const auto size = read.integer(size_name, 1, info.world_size);
    const auto rank = read.integer(rank_name, 0, info.world_size - 1);
    info.local_world_size = static_cast<int>(size.value_or(info.world_size > 1 ? 0 : 1));
    info.local_rank = static_cast<int>(rank.value_or(size ? info.rank % *size : 0));
    if (size && info.local_rank >= *size)
        throw LaunchError(rank_name,
                          std::to_string(info.local_rank),
                          "is not below " + size_name + "=" + std::to_string(info.local_world_size),
                          "local ranks count from 0 to local size - 1");
}

/// Reads the location of the store from HELIORAY_STORE or MASTER_ADDR and MASTER_PORT. The defaults
/// are the address and port that the launcher implies; an empty text or 0 if it implies none.
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
    if (info.rank == 0 && default_addr.empty() && !read.has("MASTER_ADDR") &&
        read.has("MASTER_PORT")) {
        // Rank 0 serves the store, so it only needs the port.
        info.master_port = static_cast<int>(*read.integer("MASTER_PORT", 1, kMaxPort));
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

/// Reads RANK and WORLD_SIZE, which are set by hand, by torchrun or by run_local_ranks().
void read_env(VariableReader& read, LaunchInfo& info) {
    read_rank_and_size(read, info, "RANK", "WORLD_SIZE");
    read_local(read, info, "LOCAL_RANK", "LOCAL_WORLD_SIZE");
    read_master(read,
                info,
                "set MASTER_ADDR to the host of rank 0 and MASTER_PORT to a free port there, on "
                "every rank");
    for (const char* name : {"HELIORAY_RUN_ID", "TORCHELASTIC_RUN_ID"})
        if (info.run_id.empty()) info.run_id = read.text(name).value_or("");
    info.restart_count =
        static_cast<int>(read.integer("TORCHELASTIC_RESTART_COUNT", 0, kMaxWorldSize).value_or(0));
    // Rank 0 serves a store that HELIORAY_STORE names, even if torchrun has one.
    const bool own = info.world_size > 1 && read.has("HELIORAY_STORE");
    if (info.launcher == Launcher::torchrun)
        info.launcher_owns_store =
            read.flag("TORCHELASTIC_USE_AGENT_STORE").value_or(false) && !own;
}

/// Returns the address or name of the machine where mpirun runs; empty if it is not known. It is
/// the machine of rank 0 unless the list of hosts starts with another one. Open MPI 4 sets a URI,
/// "123.0;tcp://10.0.0.1,10.1.0.1:4000;tcp6://...". Open MPI 5 has the name of the machine in the
/// namespace of its processes, "prterun-NAME-PID@JOB".
std::string find_mpirun_address(VariableReader& read) {
    if (read.has("MASTER_ADDR") || read.has("HELIORAY_STORE")) return {};
    const std::string uri = read.text("OMPI_MCA_orte_hnp_uri").value_or("");
    const std::string scheme = "tcp://";
    const auto start = uri.find(scheme);
    if (start != std::string::npos) {
        const auto first = start + scheme.size();
        return uri.substr(first, uri.find_first_of(",:;", first) - first);
    }
    const std::string space = read.text("PMIX_NAMESPACE").value_or("");
    const auto before = space.find('-');
    const auto behind = space.rfind('-', space.find('@'));
    if (!space.starts_with("prte") || before == behind) return {};
    return space.substr(before + 1, behind - before - 1);
}

/// Reads the variables of Open MPI, which sets no address of the store. On one machine it is the
/// loopback address. On several machines it is the address of mpirun; rank 0 reports an error if it
/// cannot listen there.
void read_openmpi(VariableReader& read, LaunchInfo& info) {
    read_rank_and_size(read, info, "OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE");
    read_local(read, info, "OMPI_COMM_WORLD_LOCAL_RANK", "OMPI_COMM_WORLD_LOCAL_SIZE");
    const bool one_machine =
        read.has("OMPI_COMM_WORLD_LOCAL_SIZE") && info.local_world_size == info.world_size;
    for (const char* name : {"PMIX_NAMESPACE", "OMPI_MCA_ess_base_jobid"})
        if (info.run_id.empty()) info.run_id = read.text(name).value_or("");
    const std::string mpirun = one_machine ? std::string() : find_mpirun_address(read);
    read_master(read,
                info,
                "the ranks are on several machines: mpirun -x MASTER_ADDR=<host of rank 0> -x "
                "MASTER_PORT=<free port> ...",
                one_machine ? "127.0.0.1" : mpirun,
                info.run_id.empty() ? kDefaultPort : derive_port(info.run_id));
}

/// Reads the PMI variables of MPICH, Intel MPI and other launchers of the hydra family.
void read_mpich(VariableReader& read, LaunchInfo& info) {
    read_rank_and_size(read, info, "PMI_RANK", "PMI_SIZE");
    read_local(read, info, "MPI_LOCALRANKID", "MPI_LOCALNRANKS");
    const bool one_machine =
        read.has("MPI_LOCALNRANKS") && info.local_world_size == info.world_size;
    const auto socket = read.integer("PMI_FD", 0, kMaxPort);
    if (info.world_size > 1 && !one_machine && socket && !read.has("MASTER_ADDR") &&
        !read.has("HELIORAY_STORE")) {
        info.pmi_socket = static_cast<int>(*socket);
        return;
    }
    read_master(read,
                info,
                "the ranks may be on several machines: mpiexec -genv MASTER_ADDR <host of rank 0> "
                "-genv MASTER_PORT <free port> ...",
                one_machine ? "127.0.0.1" : "",
                kDefaultPort);
}

/// Returns the number of tasks on this node from a list such as "2(x3),1", which stands for
/// 2,2,2,1; 0 if there is no list.
int count_slurm_tasks_on_node(VariableReader& read, const LaunchInfo& info) {
    const auto list = read.text("SLURM_STEP_TASKS_PER_NODE");
    const auto node = read.integer("SLURM_NODEID", 0, kMaxWorldSize);
    if (!list || !node) return 0;
    std::int64_t nodes = 0;
    std::istringstream parts(*list);
    for (std::string part; std::getline(parts, part, ',');) {
        const auto times = part.find("(x");
        const auto tasks = parse_digits(part.substr(0, times));
        const auto count = times == std::string::npos
                               ? std::optional<std::int64_t>(1)
                               : parse_digits(part.substr(times + 2, part.find(')') - times - 2));
        if (!tasks || !count || *tasks > info.world_size)
            throw LaunchError("SLURM_STEP_TASKS_PER_NODE",
                              *list,
                              "is not a list of task counts",
                              "expected something like 2(x3),1");
        nodes += *count;
        if (*node < nodes) return static_cast<int>(*tasks);
    }
    return 0;
}

/// Reads the variables of a job step of srun. The first node of the step serves the store, at a
/// port derived from job and step.
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
    info.local_world_size =
        nodes.size() == 1 ? info.world_size : count_slurm_tasks_on_node(read, info);
    read_master(read, info, advice, nodes.front(), derive_port("slurm " + info.run_id));
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
