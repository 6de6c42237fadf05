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

/// Where the store is and who asks.
struct StoreClientOptions {
    std::string host;
    int port = 0;
    std::string run;     ///< as StoreServerOptions
    std::string secret;  ///< likewise
    int generation = 0;  ///< likewise
    int ranks = 1;       ///< how many this rank expects
    int rank = 0;
    std::string name;      ///< of this rank, for messages about it
    bool sends_heartbeats = false;  ///< this connection's end is the end of the rank
    std::chrono::milliseconds timeout = std::chrono::seconds(300);  ///< of connecting, and of calls
};

/// The store does not want this rank.
class Refused : public TransportError {
  public:
    using TransportError::TransportError;
};

/// The run has failed elsewhere; what() is the first cause.
class RunFailed : public TransportError {
  public:
    using TransportError::TransportError;
};

/// One call at a time; calls of several threads follow each other. Every call ends at the latest
/// after the time-out, and `look` (see sockets.h) may leave it by throwing: the connection stays
/// usable. Throws TransportError when the store is gone, does not answer in time or refuses,
/// RunFailed from calls that wait for other ranks.
class StoreClient {
  public:
    /// Connects and proves itself.
    explicit StoreClient(const StoreClientOptions& options, WaitCallback wait_callback = {});

    /// Numeric address of this end.
    std::string local_address() const { return get_local_address(socket_.get()); }
    /// Numeric address of the store's end.
    std::string server_address() const { return get_peer_address(socket_.get()); }
    const StoreClientOptions& options() const { return options_; }
    /// Called while later calls wait.
    void set_wait_callback(WaitCallback wait_callback) { wait_callback_ = std::move(wait_callback); }
    /// Of later calls.
    void set_timeout(std::chrono::milliseconds timeout) { options_.timeout = timeout; }

    void set(const std::string& key, const std::string& value);
    /// Nothing where a key does not exist. `timeout`: another one than that of all calls.
    std::vector<std::optional<std::string>> get(
        const std::vector<std::string>& keys,
        std::optional<std::chrono::milliseconds> timeout = {});
    /// Returns when all keys exist.
    void wait(const std::vector<std::string>& keys, std::chrono::milliseconds timeout);
    /// Writes `desired` where the value is `expected` (empty: where there is none). Returns what is
    /// there now, `expected` where that is nothing.
    std::string compare_set(const std::string& key,
                            const std::string& expected,
                            const std::string& desired);
    /// Adds to an integer that starts at 0; returns the sum.
    std::int64_t add(const std::string& key, std::int64_t amount);
    bool erase(const std::string& key);
    std::int64_t count();

    /// What ranks said that do not all say the same.
    struct RendezvousText {
        std::string text;
        std::vector<int> ranks;
    };
    /// Returns when `ranks` ranks have called it for the meeting of this name: nothing where all
    /// said the same text.
    std::vector<RendezvousText> rendezvous(const std::string& name,
                           int ranks,
                           int rank,
                           const std::string& text,
                           std::chrono::milliseconds timeout);
    /// Ranks that have not come to a meeting.
    std::vector<int> missing_ranks(const std::string& name, int ranks);

    /// A sign of life; returns the first failure known.
    std::optional<std::string> send_heartbeat(std::chrono::milliseconds timeout);
    void report_failure(const std::string& cause, std::chrono::milliseconds timeout);
    void close();

  private:
    std::string call(StoreCall call,
                     const FrameWriter& arguments,
                     std::optional<std::chrono::milliseconds> timeout = {});
    void connect();
    bool authenticate(Deadline deadline);
    std::string receive(std::uint64_t id, Deadline deadline);
    void read_more(Deadline deadline);
    void send(const std::string& frame, Deadline deadline);

    StoreClientOptions options_;
    WaitCallback wait_callback_;
    std::recursive_mutex mutex_;  // a look during a call may make calls of its own
    Descriptor socket_;
    std::string received_;
    std::uint64_t calls_ = 0;
    std::set<std::uint64_t> awaited_;               // calls under way
    std::map<std::uint64_t, std::string> arrived_;  // answers to outer calls
};

/// Keys of a part of the store. Cheap to copy; copies share the connection.
class Store {
  public:
    explicit Store(std::shared_ptr<StoreClient> client, std::string prefix = {})
        : client_(std::move(client)), prefix_(std::move(prefix)) {}

    StoreClient& client() const { return *client_; }
    /// Same keys, all with "prefix/" before them.
    Store with_prefix(const std::string& prefix) const {
        return Store(client_, prefix_ + prefix + "/");
    }
    /// The key's full name.
    std::string name(const std::string& key) const { return prefix_ + key; }

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
