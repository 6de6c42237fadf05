// SPDX-License-Identifier: MIT
// Looks after a running trace: signals and lost ranks become a cancelled trace.
#pragma once

#include <atomic>
#include <exception>
#include <functional>
#include <mutex>
#include <string>
#include <thread>

namespace helioray::app {

/// A thread that polls for signals and calls check_peers about once a second; sets `cancel` when
/// either speaks up. When the main thread does not leave within seconds then, it ends the process.
class RunWatch {
  public:
    explicit RunWatch(std::function<void()> check_peers);
    ~RunWatch();

    RunWatch(const RunWatch&) = delete;
    RunWatch& operator=(const RunWatch&) = delete;

    /// Handed to the tracer.
    const std::atomic<bool>& cancel() const { return cancel_; }

    /// Throws Interrupted, or what check_peers threw.
    void rethrow();

  private:
    void watch();

    std::function<void()> check_peers_;
    std::atomic<bool> cancel_{false};
    std::atomic<bool> stop_{false};
    std::mutex mutex_;
    std::exception_ptr failure_;
    std::string reason_;
    std::thread thread_;
};

}  // namespace helioray::app
