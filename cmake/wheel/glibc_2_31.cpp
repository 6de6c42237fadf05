// SPDX-License-Identifier: MIT
// Defines what HelioRay and the static C++ library of GCC 12 take from the C library, and Debian 11
// (glibc 2.31) does not have.
#include <signal.h>
#include <sys/random.h>

#include <cstdint>
#include <cstdlib>

extern "C" {

/// 0 makes reference counts atomic in all programs, including those with one thread.
__attribute__((visibility("hidden"))) char __libc_single_threaded = 0;

/// Returns a random number for std::random_device.
__attribute__((visibility("hidden"))) std::uint32_t arc4random() {
    std::uint32_t number = 0;
    if (getrandom(&number, sizeof number, 0) != sizeof number) std::abort();
    return number;
}

/// Returns the name of a signal without "SIG", or a null pointer if it is none that ends processes.
__attribute__((visibility("hidden"))) const char* sigabbrev_np(int signal) {
    static constexpr struct {
        int signal;
        const char* name;
    } kNames[] = {
        {SIGHUP, "HUP"},
        {SIGINT, "INT"},
        {SIGQUIT, "QUIT"},
        {SIGILL, "ILL"},
        {SIGTRAP, "TRAP"},
        {SIGABRT, "ABRT"},
        {SIGBUS, "BUS"},
        {SIGFPE, "FPE"},
        {SIGKILL, "KILL"},
        {SIGUSR1, "USR1"},
        {SIGSEGV, "SEGV"},
        {SIGUSR2, "USR2"},
        {SIGPIPE, "PIPE"},
        {SIGALRM, "ALRM"},
        {SIGTERM, "TERM"},
        {SIGXCPU, "XCPU"},
        {SIGXFSZ, "XFSZ"},
        {SIGSYS, "SYS"},
    };
    for (const auto& named : kNames) {
        if (named.signal == signal) return named.name;
    }
    return nullptr;
}
}
