// SPDX-License-Identifier: MIT
// SIGINT, SIGTERM and SIGHUP as a flag and an exception.
#include "app/interrupt.h"

#include <unistd.h>

#include <csignal>

namespace helioray::app {

namespace {

volatile std::sig_atomic_t g_signal = 0;

extern "C" void on_signal(int signal) {
    // Whoever presses Ctrl-C twice wants out now; nothing unfinished lies under a final name.
    if (g_signal != 0 && signal == SIGINT) _exit(128 + signal);
    g_signal = signal;
}

}  // namespace

Interrupted::Interrupted() : std::runtime_error(signal_name()) {}

void install_signal_handlers() {
    struct sigaction action {};
    action.sa_handler = on_signal;
    sigaction(SIGINT, &action, nullptr);
    sigaction(SIGTERM, &action, nullptr);
    // A lost terminal ends a run like SIGTERM, unless it was started with nohup.
    struct sigaction before {};
    sigaction(SIGHUP, nullptr, &before);
    if (before.sa_handler != SIG_IGN) sigaction(SIGHUP, &action, nullptr);
    // Files above the limit of the shell become errors of writing, which are cleaned up.
    std::signal(SIGXFSZ, SIG_IGN);
}

int pending_signal() noexcept {
    return g_signal;
}

std::string signal_name() {
    const int signal = g_signal;
    return signal == 0 ? "" : signal == SIGINT ? "interrupted" : "terminated";
}

void check_interrupt() {
    if (g_signal != 0) throw Interrupted();
}

}  // namespace helioray::app
