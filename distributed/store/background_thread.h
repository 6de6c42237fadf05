// SPDX-License-Identifier: MIT
// Threads that do not handle the signals of the process.
#pragma once

#include <signal.h>

#include <thread>
#include <utility>

namespace helioray::detail {

/// Starts a thread with all signals blocked, except those that report a crash of the thread itself.
/// Threads started by this thread inherit the mask.
template <typename Function>
std::thread start_background_thread(Function&& function) {
    // A new thread inherits the signal mask of the thread that creates it.
    sigset_t all, before;
    ::sigfillset(&all);
    for (const int crash : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT}) ::sigdelset(&all, crash);
    ::pthread_sigmask(SIG_SETMASK, &all, &before);
    std::thread thread(std::forward<Function>(function));
    ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
    return thread;
}

}  // namespace helioray::detail
