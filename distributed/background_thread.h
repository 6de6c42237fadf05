// SPDX-License-Identifier: MIT
// Threads that leave signals to the program's own.
#pragma once

#include <signal.h>

#include <thread>
#include <utility>

namespace helioray::detail {

/// Starts a thread that receives no signal, apart from those of its own crash. Threads that it
/// starts receive none either.
template <typename Function>
std::thread start_background_thread(Function&& function) {
    // A thread inherits the mask of the one that starts it.
    sigset_t all, before;
    ::sigfillset(&all);
    for (const int crash : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT}) ::sigdelset(&all, crash);
    ::pthread_sigmask(SIG_SETMASK, &all, &before);
    std::thread thread(std::forward<Function>(function));
    ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
    return thread;
}

}  // namespace helioray::detail
