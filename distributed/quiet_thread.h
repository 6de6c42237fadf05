// SPDX-License-Identifier: MIT
// Threads that leave signals to the program's own.
#pragma once

#include <signal.h>

#include <thread>
#include <utility>

namespace helioray::detail {

/// Starts a thread that receives no signal.
template <typename Function>
std::thread quiet_thread(Function&& function) {
    // A thread inherits the mask of the one that starts it.
    sigset_t all, before;
    ::sigfillset(&all);
    ::pthread_sigmask(SIG_SETMASK, &all, &before);
    std::thread thread(std::forward<Function>(function));
    ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
    return thread;
}

}  // namespace helioray::detail
