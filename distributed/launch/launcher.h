// SPDX-License-Identifier: MIT
// Detects the launcher that started this process, and its rank, from environment variables.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace helioray {

/// Error in the launcher's environment variables; what() names the variable, its value and what to
/// do. The program ends with exit code 2 and never continues as a single process.
class LaunchError : public std::invalid_argument {
  public:
    /// what() is "environment variable VARIABLE='value' reason; advice".
    LaunchError(std::string variable, std::string value, std::string reason, std::string advice);

    const std::string& variable() const noexcept { return variable_; }  ///< name of the variable
    const std::string& value() const noexcept { return value_; }    ///< its value; empty if not set
    const std::string& reason() const noexcept { return reason_; }  ///< "is not below WORLD_SIZE=2"
    const std::string& advice() const noexcept { return advice_; }  ///< what to do; may be empty

  private:
    std::string variable_, value_, reason_, advice_;
};

/// Environment variables by name. Passed explicitly, so that tests need not change their process's
/// environment.
class EnvironmentView {
  public:
    EnvironmentView() = default;
    /// Contains the given variables only.
    EnvironmentView(std::initializer_list<std::pair<const std::string, std::string>> variables)
        : variables_(variables) {}

    /// Returns a copy of this process's environment.
    static EnvironmentView from_process();

    /// Sets a variable in this object only.
    void set(const std::string& name, std::string value) { variables_[name] = std::move(value); }
    /// Returns true if the variable is set, also if it is empty.
    bool has(const std::string& name) const { return variables_.count(name) != 0; }
    /// Returns the value of a variable, or nothing if it is not set.
    std::optional<std::string> get(const std::string& name) const;

  private:
    std::map<std::string, std::string> variables_;
};

/// The program that started the ranks.
enum class Launcher {
    single,    ///< no launcher, one process
    env,       ///< RANK, WORLD_SIZE, MASTER_ADDR, MASTER_PORT set by hand
    torchrun,  ///< torchrun, also under srun
    openmpi,   ///< mpirun of Open MPI
    mpich,     ///< MPICH, Intel MPI and other launchers with PMI (hydra)
    slurm,     ///< a job step of srun
    local,     ///< run_local_ranks(), for --ranks N
};

/// Returns "single", "env", "torchrun", "openmpi", "mpich", "slurm" or "local".
std::string to_string(Launcher launcher);

/// Rank of this process and location of the store, from the variables of its launcher.
struct LaunchInfo {
    Launcher launcher = Launcher::single;  ///< launcher whose variables are used
    int rank = 0;                          ///< rank of this process, 0 to world_size - 1
    int world_size = 1;                    ///< number of ranks
    int local_rank = 0;        ///< index among the ranks of this machine, reported by the launcher
    int local_world_size = 1;  ///< ranks on this machine; 0 if the launcher does not report it
    /// Host of the store; empty for one rank, and on rank 0 if it was started without an address.
    std::string master_addr;
    int master_port = 0;     ///< port of the store, 1..65535; 0 for one rank
    std::string store_file;  ///< shared file with the address of the store; empty: use master_addr
    int pmi_socket = -1;     ///< PMI socket that transmits the address of the store; -1 for none
    bool launcher_owns_store = false;  ///< the launcher's store transmits the address (torchrun)
    std::string run_id;                ///< distinguishes runs that share a store; may be empty
    /// Shared secret for the authentication of the ranks: HELIORAY_SECRET. If empty, the ranks are
    /// not authenticated.
    std::string secret;
    int restart_count = 0;  ///< number of times that the launcher has restarted the ranks
    std::string reason;     ///< reason why this launcher was chosen
    std::vector<std::pair<std::string, std::string>>
        variables;                      ///< variables that were used, with values
    std::vector<std::string> warnings;  ///< warnings, for example if two launchers report sizes
};

/// Returns the LaunchInfo for explicit settings: rank, number of ranks and a store
/// "tcp://host:port" or "file:///path" (a file that does not exist yet, on a file system that all
/// ranks share). Throws std::invalid_argument for impossible settings.
LaunchInfo launch_at(const std::string& store, int rank, int world_size);

/// Finds the launcher, the rank and the address of the store. The first match counts:
/// HELIORAY_LAUNCHER (single, env, torchrun, openmpi, mpich, slurm), RANK and WORLD_SIZE, Open MPI,
/// mpiexec, a job step of SLURM, PMI; without a match there is one process. MASTER_ADDR may have
/// the form host:port or [v6]:port. HELIORAY_STORE=tcp://host:port or file:///path replaces
/// MASTER_ADDR and MASTER_PORT for every launcher. Throws LaunchError for variables that are
/// missing, malformed or contradictory.
LaunchInfo detect_launcher(const EnvironmentView& environment);

/// Returns the host names of a SLURM node list in order: "n[01-03,7],login" gives n01 n02 n03 n7
/// login. Throws LaunchError for `variable` if the list is malformed.
std::vector<std::string> expand_node_list(const std::string& list,
                                          const std::string& variable = "SLURM_STEP_NODELIST");

/// Returns rows (label, value) for a table: launcher and reason, rank, local rank, address and
/// server of the store, variables used, warnings.
std::vector<std::pair<std::string, std::string>> describe_rows(const LaunchInfo& launch);

/// Returns the rows as text: one line each, with aligned values.
std::string describe(const LaunchInfo& launch);

}  // namespace helioray
