// SPDX-License-Identifier: MIT
// Looks after a running trace: the program's wish to stop and lost ranks become a cancelled trace;
// rays are counted and reported.
#pragma once

#include "raytracer/run/options.h"

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <exception>
#include <functional>
#include <mutex>
#include <string>
#include <thread>

namespace helioray::run {

/// The rays of one or several traces of this rank. The options outlive it.
class ProgressReport {
  public:
    /// `expected`: rays in the end, about.
    ProgressReport(const Options& options, std::int64_t expected);
    ~ProgressReport();
    ProgressReport(const ProgressReport&) = delete;
    ProgressReport& operator=(const ProgressReport&) = delete;

    /// Grows while rays are traced.
    std::atomic<std::int64_t>& rays() { return rays_; }
    /// Reports the progress to the program. Any thread may call it.
    void report();
    /// Reports for the last time. Later calls do nothing.
    void finish();

  private:
    void tell(bool finished);

    const Options& options_;
    const std::int64_t expected_;
    std::atomic<std::int64_t> rays_{0};
    std::mutex mutex_;
    bool finished_ = false;  // guarded by mutex_
};

/// Throws Stopped when the program requests the end of the run.
void check_stop(const Options& options);

/// A thread that asks the program for its wish to stop, calls check_peers about once a second and
/// `tick` several times; sets `cancel` when the program wants to stop or check_peers throws. When
/// this object still lives seconds later, it calls Options::stuck.
class Watch {
  public:
    /// The options outlive this object.
    Watch(const Options& options,
          std::function<void()> check_peers,
          std::function<void()> tick = {});
    ~Watch();

    Watch(const Watch&) = delete;
    Watch& operator=(const Watch&) = delete;

    /// Handed to the tracer.
    const std::atomic<bool>& cancel() const { return cancel_; }

    /// Throws Stopped, or what check_peers threw.
    void rethrow();

  private:
    void loop();
    void look(bool at_peers);

    const Options& options_;
    std::function<void()> check_peers_;
    std::function<void()> tick_;
    std::atomic<bool> cancel_{false};
    std::mutex mutex_;
    std::condition_variable wake_;
    bool ended_ = false;          // guarded by mutex_
    std::exception_ptr failure_;  // guarded by mutex_
    std::string reason_;          // of this object's thread alone
    std::thread thread_;          // the last member: it uses the others
};

}  // namespace helioray::run
