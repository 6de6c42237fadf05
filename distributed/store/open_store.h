// SPDX-License-Identifier: MIT
// Rendezvous of the ranks at their store, which they find at an address, through a file, or through
// the key-value store of their launcher.
#pragma once

#include "distributed/launch/launcher.h"
#include "distributed/store/client.h"
#include "distributed/store/server.h"

#include <chrono>
#include <functional>
#include <memory>
#include <string>

namespace helioray::detail {

/// Calls to the key-value store of a launcher: torchrun's TCPStore or PMI. Both throw
/// TransportError on failure or after the time-out.
struct LauncherStore {
    std::function<void(const std::string& key, const std::string& value)> set;  ///< stores a value
    std::function<std::string(const std::string& key)> get;  ///< waits for the key
};

/// An open store and the connection to it.
struct OpenedStore {
    std::unique_ptr<StoreServer> server;  ///< the server, on rank 0 only
    std::shared_ptr<StoreClient> client;  ///< authenticated connection of this rank
    std::shared_ptr<const void> file;     ///< on rank 0: removes the file with the address
};

/// Options of open_store() in addition to the LaunchInfo.
struct OpenStoreOptions {
    int generation = 0;                    ///< number of the environment within this process
    std::string name;                      ///< name of this rank for messages
    std::chrono::milliseconds timeout{0};  ///< longest wait for the store
    std::chrono::milliseconds heartbeat_timeout{0};  ///< as in StoreServerOptions
    WorkService* work = nullptr;                     ///< as in StoreServerOptions
};

/// Serves the store on rank 0 and connects every rank to it. The server listens on 127.0.0.1 if all
/// ranks are on one machine or the address is a loopback address, else on the interface of the
/// address, else on all interfaces. With a file or a launcher's store, rank 0 publishes address and
/// secret there. Throws TransportError; the wait callback is described in sockets.h.
OpenedStore open_store(const LaunchInfo& launch,
                       const OpenStoreOptions& options,
                       const LauncherStore& launcher,
                       const WaitCallback& wait_callback);

}  // namespace helioray::detail
