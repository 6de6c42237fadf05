// SPDX-License-Identifier: MIT
// Server of the store of a run: keys and values, rendezvous of the ranks, and heartbeat monitoring.
#pragma once

#include "distributed/store/work_service.h"

#include <chrono>
#include <memory>
#include <string>

namespace helioray::detail {

/// Options of a StoreServer.
struct StoreServerOptions {
    std::string host;    ///< name or address that clients connect to; see listen_on()
    int port = 0;        ///< port to listen on; 0 for a free one
    std::string run;     ///< name of the run; clients of other runs are refused
    std::string secret;  ///< shared secret of the clients; if empty, they are not authenticated
    int generation = 0;  ///< number of the environment within the processes of the run
    int ranks = 1;       ///< number of ranks; limits the number of connections
    /// Time without a heartbeat after which a rank counts as hanging.
    std::chrono::milliseconds heartbeat_timeout = std::chrono::seconds(15);
    /// Work of rank 0 for the other ranks, or null. With it, a lost rank does not end the run. Must
    /// outlive the server.
    WorkService* work = nullptr;
};

/// Serves the store on a background thread of rank 0. A call or heartbeat costs O(1); a rendezvous
/// of N ranks takes N calls and N answers.
///
/// A rank has failed if its heartbeat connection closes without the call `close`, or if it sends no
/// heartbeat for heartbeat_timeout. Ranks that wait in a call receive the failure at once, the
/// others with the answer to their next heartbeat. The first failure is stored as the cause. With
/// StoreServerOptions::work only the loss of rank 0 is a failure of the run.
class StoreServer {
  public:
    /// Opens the port and starts the thread. Throws TransportError.
    explicit StoreServer(const StoreServerOptions& options);
    /// Closes all connections.
    ~StoreServer();

    StoreServer(const StoreServer&) = delete;
    StoreServer& operator=(const StoreServer&) = delete;

    int port() const;  ///< port of the server
    /// Returns the numeric address at which the server listens; empty for all interfaces.
    const std::string& address() const;
    /// Waits until every connected rank has called `close`, has failed or has received the cause of
    /// the failure, at most `timeout`.
    void wait_for_shutdown(std::chrono::milliseconds timeout) const;

  private:
    class Service;
    std::unique_ptr<Service> service_;
};

}  // namespace helioray::detail
