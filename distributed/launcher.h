// SPDX-License-Identifier: MIT
// Which launcher started this process, and as which rank: a pure function of environment variables.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace helioray {

/// A wrong or incomplete launcher environment: what() names the variable, its value and what to do.
/// The program answers it with exit code 2; it never goes on as a single process.
class LaunchError : public std::invalid_argument {
  public:
    /// what() is "environment variable VARIABLE='value' reason; advice".
    LaunchError(std::string variable, std::string value, std::string reason, std::string advice);

    const std::string& variable() const noexcept { return variable_; }  ///< its name
    const std::string& value() const noexcept { return value_; }    ///< empty where it is not set
    const std::string& reason() const noexcept { return reason_; }  ///< "is not below WORLD_SIZE=2"
    const std::string& advice() const noexcept { return advice_; }  ///< what to do; may be empty

  private:
    std::string variable_, value_, reason_, advice_;
};

/// Environment variables by name. Passed explicitly, so that detection needs no setenv in tests.
class EnvironmentView {
  public:
    EnvironmentView() = default;
    /// These variables and no others.
    EnvironmentView(std::initializer_list<std::pair<const std::string, std::string>> variables)
        : variables_(variables) {}

    /// A copy of this process's environment.
    static EnvironmentView from_process();

    /// Changes this copy only.
    void set(const std::string& name, std::string value) { variables_[name] = std::move(value); }
    /// True also for a variable that is set and empty.
    bool has(const std::string& name) const { return variables_.count(name) != 0; }
    /// Nothing for a variable that is not set.
    std::optional<std::string> get(const std::string& name) const;

  private:
    std::map<std::string, std::string> variables_;
};

/// The program that started the ranks.
enum class Launcher {
    single,    ///< no launcher: one process
    env,       ///< RANK, WORLD_SIZE, MASTER_ADDR, MASTER_PORT set by hand
    torchrun,  ///< torchrun, also under srun
    openmpi,   ///< mpirun of Open MPI
    mpich,     ///< MPICH, Intel MPI and other users of PMI (hydra)
    slurm,     ///< a step of srun
    local,     ///< the program itself, for --ranks N
};

/// "single", "env", "torchrun", "openmpi", "mpich", "slurm" or "local".
std::string to_string(Launcher launcher);

/// This process's place among the ranks, as its launcher set it.
struct LaunchInfo {
    Launcher launcher = Launcher::single;  ///< the launcher whose variables count
    int rank = 0;                          ///< of this process, 0 to world_size - 1
    int world_size = 1;                    ///< number of ranks
    int local_rank = 0;        ///< among the ranks of this machine, as the launcher says
    int local_world_size = 1;  ///< ranks on this machine; 0 where the launcher does not say
    /// Host of the store; empty at world size 1, and on a rank 0 that was given none.
    std::string master_addr;
    int master_port = 0;     ///< port of the store, 1..65535; 0 at world size 1
    std::string store_file;  ///< the store is this file, which all ranks see; empty: master_addr
    int pmi_socket = -1;  ///< the ranks find the store through their PMI launcher; -1: they do not
    bool launcher_owns_store = false;  ///< the launcher serves the store; every rank is its client
    std::string run_id;                ///< tells runs apart that share a store; may be empty
    /// What ranks prove to know when they meet: HELIORAY_SECRET. Empty: nothing.
    std::string secret;
    int restart_count = 0;  ///< how often the launcher restarted the ranks
    std::string reason;     ///< why this launcher was chosen, one sentence
    std::vector<std::pair<std::string, std::string>>
        variables;                      ///< those that were used, with values
    std::vector<std::string> warnings;  ///< for example two launchers that disagree on the size
};

/// Explicit settings instead of a launcher's: rank and size, and a store "tcp://host:port" or
/// "file:///path" (a file that does not exist yet, on a file system that all ranks share). Throws
/// std::invalid_argument for anything impossible.
LaunchInfo launch_at(const std::string& store, int rank, int world_size);

/// Finds launcher, rank and store address. Order: HELIORAY_LAUNCHER (single, env, torchrun,
/// openmpi, mpich, slurm), RANK and WORLD_SIZE, Open MPI, mpiexec, a step of SLURM, PMI, none: one
/// process. A MASTER_ADDR of the form host:port or [v6]:port is accepted;
/// HELIORAY_STORE=tcp://host:port or file:///path names the store instead of MASTER_ADDR and
/// MASTER_PORT, whatever the launcher. Throws LaunchError for anything doubtful.
LaunchInfo detect_launcher(const EnvironmentView& environment);

/// Host names of a SLURM node list in order: "n[01-03,7],login" gives n01 n02 n03 n7 login.
/// Throws LaunchError naming `variable` when the list is malformed.
std::vector<std::string> expand_node_list(const std::string& list,
                                          const std::string& variable = "SLURM_STEP_NODELIST");

/// Rows (label, value): launcher and why, rank, local rank, store address and server,
/// variables used, warnings.
std::vector<std::pair<std::string, std::string>> describe_rows(const LaunchInfo& launch);

/// The rows as text, labels padded to one width, each line ending in a newline.
std::string describe(const LaunchInfo& launch);

}  // namespace helioray
