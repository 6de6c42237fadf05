// SPDX-License-Identifier: MIT
// From exceptions and crashes to one message.
#include "app/failure.h"

#include "scenario/hdf5/file.h"

#include <fmt/format.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstring>
#include <initializer_list>

namespace helioray::app {

namespace {

// Only write() and _exit() are allowed in a signal handler.
void say(const char* text) {
    [[maybe_unused]] const auto written = ::write(STDERR_FILENO, text, std::strlen(text));
}

extern "C" void on_crash(int signal) {
    if (const char* file = hdf5::file_being_read()) {
        say("helioray: ");
        say(file);
        say(": the HDF5 file is damaged, reading it crashed the HDF5 library; make or copy it "
            "again\n");
        ::_exit(2);
    }
    say("helioray: crashed; this is an error of the program, please report it\n");
    std::signal(signal, SIG_DFL);
    std::raise(signal);
}

}  // namespace

void print_failure(const std::string& message) noexcept {
    // fmt::print would throw where nothing can be written.
    std::fprintf(stderr, "helioray: %s\n", message.c_str());
}

void install_crash_handler() {
    // Endless recursion leaves no room on the usual stack.
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
