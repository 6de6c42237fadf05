// SPDX-License-Identifier: MIT
// Choice of the launcher from environment variables, and the table that describes it.
#include "distributed/launch/launcher.h"

#include "distributed/launch/launch_variables.h"

#include <algorithm>
#include <array>

extern char** environ;

namespace helioray {
namespace {

std::string format_launch_error(const std::string& variable,
                                const std::string& value,
                                const std::string& reason,
                                const std::string& advice) {
    std::string message = "environment variable " + variable;
    if (!value.empty()) message += "='" + value + "'";
    message += " " + reason;
    if (!advice.empty()) message += "; " + advice;
    return message;
}

/// Returns true in a process that srun started. A batch script also has SLURM_PROCID and
/// SLURM_NTASKS, but no step, or one of the special steps that SLURM numbers from 2^32 - 6 on.
bool is_slurm_step(const EnvironmentView& environment) {
    const auto step = environment.get("SLURM_STEP_ID");
    if (!step || !environment.has("SLURM_STEP_NODELIST") || !environment.has("SLURM_PROCID"))
        return false;
    if (step->empty() || step->find_first_not_of("0123456789") != std::string::npos) return false;
    return step->size() < 10 || (step->size() == 10 && *step < "4294967290");
}

bool has_any(const EnvironmentView& environment, std::initializer_list<const char*> names) {
    return std::any_of(
        names.begin(), names.end(), [&](const char* name) { return environment.has(name); });
}

/// Returns the launcher that HELIORAY_LAUNCHER names.
Launcher parse_launcher_name(const std::string& name) {
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

/// Returns the most specific launcher whose variables are set, and the reason for the choice.
std::pair<Launcher, std::string> choose_launcher(const EnvironmentView& environment) {
    if (has_any(environment, {"RANK", "WORLD_SIZE"})) {
        if (environment.has("TORCHELASTIC_RUN_ID"))
            return {Launcher::torchrun, "RANK, WORLD_SIZE and TORCHELASTIC_RUN_ID are set"};
        return {Launcher::env, "RANK or WORLD_SIZE is set"};
    }
    if (has_any(environment, {"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"}))
        return {Launcher::openmpi, "OMPI_COMM_WORLD_RANK or OMPI_COMM_WORLD_SIZE is set"};
    // In an allocation, mpiexec starts one proxy per node with srun, so its ranks are not tasks of
    // that step. Only mpiexec sets MPI_LOCALNRANKS. srun with a PMI plugin does not; then the
    // variables of SLURM are used, because they list the nodes.
    const bool ranks_of_mpiexec = environment.has("PMI_RANK") && environment.has("MPI_LOCALNRANKS");
    if (is_slurm_step(environment) && !ranks_of_mpiexec)
        return {Launcher::slurm, "SLURM_STEP_ID is set: srun started this process"};
    if (has_any(environment, {"PMI_RANK", "PMI_SIZE"}))
        return {Launcher::mpich, "PMI_RANK or PMI_SIZE is set"};
    if (has_any(environment, {"SLURM_JOB_ID"}))
        return {Launcher::single, "a SLURM job, but no job step of srun: one process"};
    return {Launcher::single, "no launcher variable is set: one process"};
}

/// Adds a warning for each launcher that was not chosen and reports another number of processes.
void compare_sizes(const EnvironmentView& environment, LaunchInfo& info) {
    for (const char* name :
         {"WORLD_SIZE", "OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "SLURM_STEP_NUM_TASKS"}) {
        const auto value = environment.get(name);
        const auto used = [&](const auto& entry) { return entry.first == name; };
        if (!value || *value == std::to_string(info.world_size)) continue;
        if (std::any_of(info.variables.begin(), info.variables.end(), used)) continue;
        // srun starts torchrun, or the proxies of mpirun and mpiexec, once per node, so fewer tasks
        // than ranks are correct.
        const bool under_srun = info.launcher == Launcher::torchrun ||
                                info.launcher == Launcher::openmpi ||
                                info.launcher == Launcher::mpich;
        if (under_srun && std::string(name).rfind("SLURM", 0) == 0) continue;
        info.warnings.push_back(to_string(info.launcher) + " reports " +
                                std::to_string(info.world_size) + " processes, but " + name + "=" +
                                *value + "; " + to_string(info.launcher) +
                                " is used; set HELIORAY_LAUNCHER to choose another");
    }
}

}  // namespace

LaunchError::LaunchError(std::string variable,
                         std::string value,
                         std::string reason,
                         std::string advice)
    : std::invalid_argument(format_launch_error(variable, value, reason, advice)),
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
    if (world_size < 1 || world_size > detail::kMaxWorldSize || rank < 0 || rank >= world_size)
        throw std::invalid_argument("rank " + std::to_string(rank) + " of " +
                                    std::to_string(world_size) + " ranks is impossible");
    LaunchInfo info;
    info.launcher = Launcher::env;
    info.reason = "given explicitly";
    info.rank = rank;
    info.world_size = world_size;
    info.local_world_size = world_size > 1 ? 0 : 1;
    try {
        if (world_size > 1) detail::set_store(info, detail::parse_store(store, ""));
    } catch (const LaunchError& error) {
        throw std::invalid_argument("the store '" + store + "' " + error.reason() + "; " +
                                    error.advice());
    }
    return info;
}

LaunchInfo detect_launcher(const EnvironmentView& environment) {
    LaunchInfo info;
    detail::VariableReader read(environment, info);

    // Once a launcher is chosen, a wrong variable is an error; there is no fallback to one process.
    if (const auto forced = read.text("HELIORAY_LAUNCHER")) {
        info.launcher = parse_launcher_name(*forced);
        info.reason = "HELIORAY_LAUNCHER=" + *forced;
    } else {
        std::tie(info.launcher, info.reason) = choose_launcher(environment);
    }

    detail::read_launch(read, info);
    // Read without VariableReader, so that the secret is never printed with the variables.
    info.secret = environment.get("HELIORAY_SECRET").value_or("");
    if (info.launcher != Launcher::single) compare_sizes(environment, info);
    return info;
}

std::vector<std::pair<std::string, std::string>> describe_rows(const LaunchInfo& launch) {
    const auto format_rank = [](int rank, int size) {
        return std::to_string(rank) + " of " + std::to_string(size);
    };
    std::vector<std::pair<std::string, std::string>> rows;
    rows.emplace_back("launcher", to_string(launch.launcher) + " (" + launch.reason + ")");
    rows.emplace_back("rank", format_rank(launch.rank, launch.world_size));
    rows.emplace_back("local rank",
                      launch.local_world_size > 0
                          ? format_rank(launch.local_rank, launch.local_world_size)
                          : "not given; determined when the ranks connect");
    if (launch.world_size > 1 && !launch.store_file.empty()) {
        rows.emplace_back("store", "file " + launch.store_file);
    } else if (launch.pmi_socket >= 0) {
        rows.emplace_back("store", "published through the launcher's PMI, served by rank 0");
    } else if (launch.world_size > 1 && launch.master_addr.empty()) {
        rows.emplace_back(
            "store",
            "port " + std::to_string(launch.master_port) + " of this machine, served by rank 0");
    } else if (launch.world_size > 1) {
        const bool v6 = launch.master_addr.find(':') != std::string::npos;
        const std::string host = v6 ? "[" + launch.master_addr + "]" : launch.master_addr;
        rows.emplace_back("store",
                          host + ":" + std::to_string(launch.master_port) + " served by " +
                              (launch.launcher_owns_store ? "the launcher" : "rank 0"));
    } else {
        rows.emplace_back("store", "none, no network is used");
    }
    if (!launch.run_id.empty())
        rows.emplace_back("run",
                          launch.run_id + ", restart " + std::to_string(launch.restart_count));
    for (const auto& [name, value] : launch.variables)
        rows.emplace_back("variable", name + "=" + value);
    for (const auto& warning : launch.warnings) rows.emplace_back("warning", warning);
    return rows;
}

std::string describe(const LaunchInfo& launch) {
    const auto rows = describe_rows(launch);
    std::size_t width = 0;
    for (const auto& row : rows) width = std::max(width, row.first.size());
    std::string text;
    for (const auto& [label, value] : rows)
        text += label + std::string(width - label.size() + 2, ' ') + value + "\n";
    return text;
}

}  // namespace helioray
