// SPDX-License-Identifier: MIT
// The store of a run: keys and values, meetings of all ranks, and the watch over them.
#pragma once

#include <chrono>
#include <memory>
#include <string>

namespace helioray::detail {

/// What a StoreServer is made from.
struct StoreServerOptions {
    std::string host;    ///< name or address that ranks connect to; see listen_on()
    int port = 0;        ///< 0: a free one
    std::string run;     ///< what ranks of this run say; tells runs on one port apart
    std::string secret;  ///< what they prove to know; empty: anybody may say it
    int generation = 0;  ///< number of the environment within the processes of the run
    int ranks = 1;       ///< how many there are; bounds connections
    /// Without a sign of life before a rank counts as hanging.
    std::chrono::milliseconds heartbeat_timeout = std::chrono::seconds(15);
};

/// Serves on a thread of its own, in rank 0 or in the process that starts the ranks. Costs O(1) per
/// call and per heartbeat; a meeting of N ranks takes N calls and N answers.
///
/// A rank whose watching connection ends before it has left, or that gives no sign of life for
/// heartbeat_timeout, has failed: every rank that waits here is told so at once, the others with their
/// next heartbeat. The first failure stays the cause.
class StoreServer {
  public:
    /// Opens the port. Throws TransportError.
    explicit StoreServer(const StoreServerOptions& options);
    /// Closes all connections.
    ~StoreServer();

    StoreServer(const StoreServer&) = delete;
    StoreServer& operator=(const StoreServer&) = delete;

    int port() const;
    /// Numeric address that it listens at; empty: on all interfaces.
    const std::string& address() const;
    /// Waits until every rank that came has left, is gone or knows the cause of the failure, at
    /// most `patience`.
    void wait_for_shutdown(std::chrono::milliseconds patience) const;

  private:
    class Service;
    std::unique_ptr<Service> service_;
};

}  // namespace helioray::detail
