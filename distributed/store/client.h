// SPDX-License-Identifier: MIT
// A rank's connection to the store of its run.
#pragma once

#include "distributed/store/sockets.h"
#include "distributed/store/wire.h"

#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace helioray::detail {

/// Address of the store, and the identity of the rank that connects.
struct StoreClientOptions {
    std::string host;               ///< name or address of the machine that serves the store
    int port = 0;                   ///< port of the store
    std::string run;                ///< name of the run, as in StoreServerOptions
    std::string secret;             ///< shared secret, as in StoreServerOptions
    int generation = 0;             ///< number of the environment, as in StoreServerOptions
    int ranks = 1;                  ///< number of ranks that this rank expects
    int rank = 0;                   ///< this rank
    std::string name;               ///< name of this rank for messages
    bool sends_heartbeats = false;  ///< the rank has failed if this connection breaks or is silent
    std::chrono::milliseconds timeout = std::chrono::seconds(300);  ///< for connecting and calls
};

/// Progress of a rank in a heartbeat.
struct ReportedProgress {
    std::string phase;                      ///< work of the rank; empty if none is watched
    std::uint64_t value = 0;                ///< changes when the work makes progress
    std::chrono::milliseconds patience{0};  ///< time without progress after which the rank hangs
};

/// The store refuses a request, for example the authentication of this rank.
class Refused : public TransportError {
  public:
    using TransportError::TransportError;
};

/// A rank of the run has failed; what() is the first cause.
class RunFailed : public TransportError {
  public:
    using TransportError::TransportError;
};

/// Client of the store. Threads may share it; their calls are serialised. Every call ends within
/// the time-out, and the wait callback (see sockets.h) can cancel it by throwing, after which the
/// connection is still usable. Calls throw TransportError if the connection breaks, the store does
/// not answer in time or refuses the call; calls that wait for other ranks throw RunFailed after a
/// failure.
class StoreClient {
  public:
    /// Connects and authenticates this rank. connect_timeout: time-out until a store greets; not
    /// set: that of the options.
    explicit StoreClient(const StoreClientOptions& options,
                         WaitCallback wait_callback = {},
                         std::optional<std::chrono::milliseconds> connect_timeout = {});

    /// Returns the numeric local address of the connection.
    std::string local_address() const { return get_local_address(socket_.get()); }
    /// Returns the numeric address of the store.
    std::string server_address() const { return get_peer_address(socket_.get()); }
    const StoreClientOptions& options() const { return options_; }
    /// Sets the callback that later calls use while they wait.
    void set_wait_callback(WaitCallback wait_callback) {
        wait_callback_ = std::move(wait_callback);
    }

    /// Stores a value.
    void set(const std::string& key, const std::string& value);
    /// Returns the values of the keys, nothing for keys that do not exist. `timeout` replaces the
    /// time-out of the options.
    std::vector<std::optional<std::string>> get(
        const std::vector<std::string>& keys,
        std::optional<std::chrono::milliseconds> timeout = {});
    /// Waits until all keys exist.
    void wait(const std::vector<std::string>& keys, std::chrono::milliseconds timeout);
    /// Stores `desired` if the current value is `expected`; an empty `expected` stands for a key
    /// that does not exist. Returns the value after the call, or `expected` if the key does not
    /// exist.
    std::string compare_set(const std::string& key,
                            const std::string& expected,
                            const std::string& desired);
    /// Adds to an integer that starts at 0 and returns the sum.
    std::int64_t add(const std::string& key, std::int64_t amount);
    /// Removes a key; returns true if it existed.
    bool erase(const std::string& key);
    /// Returns the number of keys.
    std::int64_t count();

    /// One of several different texts in a rendezvous, and the ranks that passed it.
    struct RendezvousText {
        std::string text;        ///< text of these ranks
        std::vector<int> ranks;  ///< ranks with this text
    };
    /// Waits until `ranks` ranks have joined the rendezvous of this name. Returns an empty list if
    /// all passed the same text, else the different texts.
    std::vector<RendezvousText> rendezvous(const std::string& name,
                                           int ranks,
                                           int rank,
                                           const std::string& text,
                                           std::chrono::milliseconds timeout);
    /// Returns the ranks that have not joined a rendezvous.
    std::vector<int> missing_ranks(const std::string& name, int ranks);

    /// Sends a heartbeat; returns the first known failure of the run, if any.
    std::optional<std::string> send_heartbeat(const ReportedProgress& progress,
                                              std::chrono::milliseconds timeout);
    /// Publishes the failure of this rank.
    void report_failure(const std::string& cause, std::chrono::milliseconds timeout);
    /// Sends a request to the WorkService of the store and returns its answer.
    std::string request_work(const std::string& request);
    /// Announces that this rank closes its connection without a failure.
    void close(std::optional<std::chrono::milliseconds> timeout = {});

  private:
    std::string call(StoreCall call,
                     const FrameWriter& arguments,
                     std::optional<std::chrono::milliseconds> timeout = {});
    void connect(std::chrono::milliseconds timeout);
    /// Performs the handshake; returns false if it should be tried again with a new connection.
    bool authenticate(Deadline deadline);
    std::string receive(std::uint64_t id, Deadline deadline);
    void read_more(Deadline deadline);
    void send(const std::string& frame, Deadline deadline);

    StoreClientOptions options_;
    WaitCallback wait_callback_;
    std::recursive_mutex mutex_;  // recursive because the wait callback may make calls
    Descriptor socket_;
    std::string received_;
    std::uint64_t calls_ = 0;
    std::set<std::uint64_t> pending_;               // ids of calls without an answer
    std::map<std::uint64_t, std::string> answers_;  // answers that outer calls have not read yet
};

/// A view of the keys with a common prefix. Cheap to copy; copies share the connection.
class Store {
  public:
    explicit Store(std::shared_ptr<StoreClient> client, std::string prefix = {})
        : client_(std::move(client)), prefix_(std::move(prefix)) {}

    StoreClient& client() const { return *client_; }
    /// Returns the view of the keys that start with "prefix/" in this view.
    Store with_prefix(const std::string& prefix) const {
        return Store(client_, prefix_ + prefix + "/");
    }
    /// Returns the full name of a key.
    std::string name(const std::string& key) const { return prefix_ + key; }

    /// Stores a value.
    void set(const std::string& key, const std::string& value) { client_->set(name(key), value); }
    std::optional<std::string> get(const std::string& key) const {
        return client_->get({name(key)}).front();
    }
    std::int64_t add(const std::string& key, std::int64_t amount) {
        return client_->add(name(key), amount);
    }
    bool erase(const std::string& key) { return client_->erase(name(key)); }

  private:
    std::shared_ptr<StoreClient> client_;
    std::string prefix_;
};

}  // namespace helioray::detail
