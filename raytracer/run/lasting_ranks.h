// SPDX-License-Identifier: MIT
// Connected ranks that the sessions of a process use one after the other.
#pragma once

#include "distributed/ranks/environment.h"
#include "raytracer/run/options.h"

#include <sys/types.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>

namespace helioray::run {

/// Keeps the ranks connected between sessions: a session that finds them connected costs two calls
/// to the store, and the ranks monitor each other between sessions. Set Options::lasting to one
/// object for all sessions of a process. Thread-safe; one session at a time uses the connection.
class LastingRanks {
  public:
    LastingRanks() = default;
    /// Closes the connection without the other ranks unless close() was called.
    ~LastingRanks();
    LastingRanks(const LastingRanks&) = delete;
    LastingRanks& operator=(const LastingRanks&) = delete;

    /// The use of the connection by one session.
    class Use {
      public:
        ~Use();
        Use(const Use&) = delete;
        Use& operator=(const Use&) = delete;

        /// Returns the connected ranks.
        DistributedEnvironment& environment() const { return *environment_; }
        /// Returns the number of the session on this connection, equal on all ranks.
        std::int64_t number() const { return number_; }

      private:
        friend class LastingRanks;
        explicit Use(LastingRanks& owner) : owner_(owner) {}

        LastingRanks& owner_;
        std::unique_lock<std::timed_mutex> lock_;
        std::shared_ptr<DistributedEnvironment> environment_;
        std::int64_t number_ = 0;
    };

    /// Connects the ranks, or uses their connection if all ranks can. Collective. Throws as the
    /// constructor of DistributedEnvironment does, and Stopped while another session of this
    /// process uses the connection.
    std::unique_ptr<Use> use(DistributedOptions options, const Options& hooks);

    /// Closes the connection together with the other ranks; does nothing if there is none or a
    /// session uses it. Throws DistributedError.
    void close();
    /// Closes the connection without the other ranks, which learn that this one has failed. Does
    /// nothing while a session uses it.
    void abort() noexcept;

  private:
    /// The wait callback of the session that uses the connection.
    struct Callback {
        std::mutex mutex;
        std::function<void()> function;
        void call();
        void set(std::function<void()> next);
    };

    bool is_reusable(const DistributedOptions& options) const;
    void forget_parent();

    std::timed_mutex mutex_;  // locked by the session that uses the connection
    const std::shared_ptr<Callback> callback_ = std::make_shared<Callback>();
    DistributedOptions options_;
    std::shared_ptr<DistributedEnvironment> environment_;
    std::int64_t sessions_ = 0;
    pid_t process_ = 0;
};

}  // namespace helioray::run
