// SPDX-License-Identifier: MIT
// How the ranks of a run find their store: at an address, through a file, or through the store of
// their launcher.
#pragma once

#include "distributed/launcher.h"
#include "distributed/store/client.h"
#include "distributed/store/server.h"

#include <chrono>
#include <functional>
#include <memory>
#include <string>

namespace helioray::detail {

/// Two calls on what a launcher keeps for its ranks: torchrun's store, which is of c10d, or PMI.
/// Both throw TransportError, at the latest after the time-out.
struct LauncherStore {
    std::function<void(const std::string& key, const std::string& value)> set;
    std::function<std::string(const std::string& key)> get;  ///< waits for the key
};

/// A store that is open, and the way to it.
struct OpenedStore {
    std::unique_ptr<StoreServer> server;  ///< of rank 0, which serves it
    std::shared_ptr<StoreClient> client;  ///< connected
    std::shared_ptr<const void> file;     ///< of rank 0: removes the file that ranks meet through
};

/// What open_store() needs besides the launcher's word.
struct OpenStoreOptions {
    int generation = 0;  ///< number of the environment within this process
    std::string name;    ///< of this rank, for messages about it
    std::chrono::milliseconds timeout{0};
    std::chrono::milliseconds heartbeat_timeout{0};
};

/// Serves the store on rank 0 and connects every rank to it. It listens on 127.0.0.1 where the
/// launcher says that all ranks are on one machine or names that address, else at the interface of
/// the address, else on all interfaces. Ranks that meet through a file or a launcher's store take
/// address and secret from there. Throws TransportError; `look` as in sockets.h.
OpenedStore open_store(const LaunchInfo& launch,
                       const OpenStoreOptions& options,
                       const LauncherStore& launcher,
                       const WaitCallback& wait_callback);

}  // namespace helioray::detail
