// SPDX-License-Identifier: MIT
// Installs signal handlers.
#include "app/program/common/signals.h"

#include "scenario/files/hdf5/file.h"

#include <unistd.h>

#include <atomic>
#include <csignal>
#include <cstring>
#include <initializer_list>

namespace helioray::app {

namespace {

// Set by the signal handler; tracing threads read it, too.
std::atomic<int> g_signal{0};
static_assert(std::atomic<int>::is_always_lock_free, "signal handlers must not lock");

extern "C" void on_signal(int signal) {
    // A second Ctrl-C ends the process at once; no unfinished file has its final name yet.
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
    // Schedulers send this signal before a job ends.
    sigaction(SIGUSR1, &action, nullptr);
    // Losing the terminal ends a run like SIGTERM, unless it was started with nohup.
    struct sigaction before {};
    sigaction(SIGHUP, nullptr, &before);
    if (before.sa_handler != SIG_IGN) sigaction(SIGHUP, &action, nullptr);
    // If the shell's limit of file sizes is exceeded, writing fails with an error, after which
    // unfinished files are removed.
    std::signal(SIGXFSZ, SIG_IGN);
}

int pending_signal() noexcept {
    return g_signal;
}

std::string signal_name() {
    const int signal = g_signal;
    if (signal == SIGUSR1) return "stopped by SIGUSR1, the notice of a scheduler";
    return signal == 0 ? "" : signal == SIGINT ? "interrupted" : "terminated";
}

void check_interrupt() {
    if (g_signal != 0) throw Interrupted();
}

namespace {

// Writes a text to stderr. A signal handler may only call write() and _exit().
void write_to_stderr(const char* text) {
    [[maybe_unused]] const auto written = ::write(STDERR_FILENO, text, std::strlen(text));
}

extern "C" void on_crash(int signal) {
    if (const char* file = hdf5::file_being_read()) {
        write_to_stderr("helioray: ");
        write_to_stderr(file);
        write_to_stderr(
            ": the HDF5 file is damaged, reading it crashed the HDF5 library; make or copy it "
            "again\n");
        ::_exit(2);
    }
    write_to_stderr("helioray: crashed; this is an error of the program, please report it\n");
    std::signal(signal, SIG_DFL);
    std::raise(signal);
}

}  // namespace

void install_crash_handler() {
    // Endless recursion leaves no space on the normal stack.
    static char stack[64 * 1024];
    stack_t other{};
    other.ss_sp = stack;
    other.ss_size = sizeof(stack);
    sigaltstack(&other, nullptr);
    struct sigaction action {};
    action.sa_handler = on_crash;
    action.sa_flags = SA_ONSTACK | static_cast<int>(SA_RESETHAND);
    for (const int signal : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT})
        sigaction(signal, &action, nullptr);
}

}  // namespace helioray::app
