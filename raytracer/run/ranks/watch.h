// SPDX-License-Identifier: MIT
// Monitors a running trace: cancels it when the program requests to stop or a rank is lost, and
// counts and reports rays.
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

/// Counts the rays of one or several traces of this rank. The options must outlive it.
class ProgressReport {
  public:
    /// Creates the counter. expected: approximate number of rays at the end. steps: number of
    /// positions of the sun that share them.
    ProgressReport(const Options& options, std::int64_t expected, std::int64_t steps = 1);
    ~ProgressReport();
    ProgressReport(const ProgressReport&) = delete;
    ProgressReport& operator=(const ProgressReport&) = delete;

    /// Returns the counter of traced rays.
    std::atomic<std::int64_t>& rays() { return rays_; }
    /// Reports the progress to the program. Any thread may call it.
    void report();
    /// Reports for the last time. Later calls do nothing.
    void finish();

  private:
    void notify(bool finished);

    const Options& options_;
    const std::int64_t expected_;
    const std::int64_t steps_;
    std::atomic<std::int64_t> rays_{0};
    std::mutex mutex_;
    bool finished_ = false;  // guarded by mutex_
};

/// Throws Stopped when the program requests the end of the run.
void check_stop(const Options& options);

/// A thread that polls the program for a request to stop, calls check_peers about once a second and
/// `tick` several times per second. Sets `cancel` if the program requests to stop or check_peers
/// throws. If this object still exists seconds later, it calls Options::stuck.
class Watch {
  public:
    /// Starts the thread. The options must outlive this object.
    Watch(const Options& options,
          std::function<void()> check_peers,
          std::function<void()> tick = {});
    ~Watch();

    Watch(const Watch&) = delete;
    Watch& operator=(const Watch&) = delete;

    /// Returns the flag that cancels the tracer.
    const std::atomic<bool>& cancel() const { return cancel_; }

    /// Throws Stopped, or the exception of check_peers.
    void rethrow();

  private:
    void loop();
    void poll_program(bool at_peers);

    const Options& options_;
    std::function<void()> check_peers_;
    std::function<void()> tick_;
    std::atomic<bool> cancel_{false};
    std::mutex mutex_;
    std::condition_variable wake_;
    bool ended_ = false;          // guarded by mutex_
    std::exception_ptr failure_;  // guarded by mutex_
    std::string reason_;          // used by this object's thread only
    std::thread thread_;          // last member, because it uses the others
};

}  // namespace helioray::run
