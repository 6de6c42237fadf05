// SPDX-License-Identifier: MIT
// Opens the store of a run, and explains why it cannot be opened.
#include "distributed/ranks/discovery/run_store.h"

#include "distributed/launch/message_text.h"
#include "distributed/ranks/environment.h"
#include "distributed/store/pmi.h"

#include <atomic>

namespace helioray::detail {

int next_generation() {
    static std::atomic<int> generation{0};
    return generation++;
}

std::string describe_store_address(const LaunchInfo& launch) {
    if (launch.pmi_socket >= 0) return "an address published by the launcher's PMI";
    if (launch.store_file.empty() && launch.master_addr.empty())
        return "port " + std::to_string(launch.master_port);
    return launch.store_file.empty() ? launch.master_addr + ":" + std::to_string(launch.master_port)
                                     : "in file " + launch.store_file;
}

OpenedStore open_run_store(const LaunchInfo& launch,
                           const OpenStoreOptions& options,
                           MakeLauncherStore make_launcher_store,
                           const WaitCallback& wait_callback) {
    const std::string address = describe_store_address(launch);
    const std::string rank = "rank " + std::to_string(launch.rank);
    try {
        LauncherStore launcher;
        if (launch.launcher_owns_store)
            launcher = make_launcher_store(
                launch.master_addr, launch.master_port, options.timeout, wait_callback);
        else if (launch.pmi_socket >= 0)
            launcher = make_pmi_store(launch.pmi_socket, options.timeout, wait_callback);
        return open_store(launch, options, launcher, wait_callback);
    } catch (const Refused& refusal) {
        throw DistributedError(rank + " was refused by the store at " + address + ": " +
                               refusal.what() +
                               "; give every run a separate store, and every rank the same "
                               "HELIORAY_SECRET");
    } catch (const TransportError& error) {
        if (!launch.store_file.empty())
            throw DistributedError(rank + " cannot open the store " + address + " within " +
                                   format_seconds(options.timeout) + ": " + error.what() +
                                   "; check HELIORAY_STORE and the folder's permissions, and that "
                                   "rank 0 was started");
        if (launch.pmi_socket >= 0)
            throw DistributedError(
                rank + " cannot reach the store through the launcher's PMI: " + error.what() +
                "; set its address yourself: mpiexec -genv MASTER_ADDR <host of rank 0> "
                "-genv MASTER_PORT <free port> ...");
        if (launch.rank == 0 && !launch.launcher_owns_store)
            throw DistributedError("rank 0 cannot open the store at " + address + ": " +
                                   error.what() + "; choose another MASTER_PORT");
        throw DistributedError(rank + " cannot reach the store at " + address + " within " +
                               format_seconds(options.timeout) + ": " + error.what() +
                               "; check MASTER_ADDR and MASTER_PORT, and that rank 0 was started");
    }
}

}  // namespace helioray::detail
