// SPDX-License-Identifier: MIT
// Opens the store of a run from the location that the launcher determines.
#pragma once

#include "distributed/store/open_store.h"

#include <chrono>
#include <string>

namespace helioray::detail {

/// Returns the number of the next environment of this process. Every rank creates its environments
/// in the same order, so the number identifies them.
int next_generation();

/// Returns the location of the store for messages.
std::string describe_store_address(const LaunchInfo& launch);

/// Returns calls to the store of torchrun; see make_launcher_store() in transport.h.
using MakeLauncherStore = LauncherStore (*)(const std::string& host,
                                            int port,
                                            std::chrono::milliseconds timeout,
                                            const WaitCallback& wait_callback);

/// Opens the store of a run. Throws DistributedError with the location, the reason and advice.
OpenedStore open_run_store(const LaunchInfo& launch,
                           const OpenStoreOptions& options,
                           MakeLauncherStore make_launcher_store,
                           const WaitCallback& wait_callback);

}  // namespace helioray::detail
