// SPDX-License-Identifier: MIT
// Threads that do not handle the signals of the process, and their processor time.
#pragma once

#include <signal.h>

#include <chrono>
#include <thread>
#include <utility>

namespace helioray::detail {

/// Counts the processor time of the calling thread as that of a background thread while it exists.
class BackgroundClock {
  public:
    BackgroundClock();
    ~BackgroundClock();
    BackgroundClock(const BackgroundClock&) = delete;
    BackgroundClock& operator=(const BackgroundClock&) = delete;
};

/// Returns the processor time of this process without that of its background threads.
std::chrono::nanoseconds measure_foreground_time();

/// Starts a thread with all signals blocked, except those that report a crash of the thread itself.
/// Threads started by this thread inherit the mask.
template <typename Function>
std::thread start_background_thread(Function&& function) {
    // A new thread inherits the signal mask of the thread that creates it.
    sigset_t all, before;
    ::sigfillset(&all);
    for (const int crash : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT}) ::sigdelset(&all, crash);
    ::pthread_sigmask(SIG_SETMASK, &all, &before);
    std::thread thread([function = std::forward<Function>(function)]() mutable {
        const BackgroundClock clock;
        function();
    });
    ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
    return thread;
}

}  // namespace helioray::detail
