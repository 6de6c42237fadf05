// SPDX-License-Identifier: MIT
// Defines what the static C++ library of GCC 12 takes from the C library and Debian 11 (glibc 2.31)
// does not have.
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
}
