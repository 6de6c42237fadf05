// SPDX-License-Identifier: MIT
// Runs independent work on several threads.
#include "kernels/host/parallel_for.h"

#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>
#include <system_error>
#include <thread>
#include <vector>

namespace helioray {

namespace {

/// Distributes the indices and stores the failure with the lowest index.
class Loop {
  public:
    Loop(size_t count, const std::function<void(size_t)>& function)
        : count_(count), failed_(count), function_(function) {}

    /// Runs the loop of one thread.
    void run() {
        while (!stopped_) {
            const size_t i = next_++;
            if (i >= count_) return;
            try {
                function_(i);
            } catch (...) {
                store_failure(i, std::current_exception());
            }
        }
    }

    void rethrow_failure() const {
        if (failure_) std::rethrow_exception(failure_);
    }

  private:
    void store_failure(size_t i, std::exception_ptr failure) {
        const std::lock_guard<std::mutex> lock(mutex_);
        // Every index below a failed one was distributed before it, so the lowest failure is always
        // found.
        if (i < failed_) {
            failed_ = i;
            failure_ = std::move(failure);
        }
        stopped_ = true;
    }

    const size_t count_;
    std::atomic<size_t> next_{0};
    std::atomic<bool> stopped_{false};
    std::mutex mutex_;
    size_t failed_;
    std::exception_ptr failure_;
    const std::function<void(size_t)>& function_;
};

}  // namespace

void parallel_for(size_t count, int num_threads, const std::function<void(size_t)>& function) {
    Loop loop(count, function);
    {
        std::vector<std::jthread> others;
        const size_t wanted = std::min(count, static_cast<size_t>(std::max(1, num_threads)));
        for (size_t i = 1; i < wanted; ++i) {
            try {
                others.emplace_back([&loop] { loop.run(); });
            } catch (const std::system_error&) {
                break;  // the system gives no more threads; fewer do the same work
            }
        }
        loop.run();
    }
    loop.rethrow_failure();
}

void parallel_shares(size_t count,
                     size_t share,
                     int num_threads,
                     const std::function<void(size_t begin, size_t end)>& function) {
    parallel_for((count + share - 1) / share, num_threads, [&](size_t i) {
        function(i * share, std::min(count, (i + 1) * share));
    });
}

}  // namespace helioray
