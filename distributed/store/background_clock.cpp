// SPDX-License-Identifier: MIT
// Adds up the processor time of background threads.
#include "distributed/store/background_clock.h"

#include <pthread.h>
#include <time.h>

#include <mutex>
#include <set>

namespace helioray::detail {
namespace {

std::chrono::nanoseconds read_clock(clockid_t clock) {
    timespec time{};
    if (::clock_gettime(clock, &time) != 0) return {};
    return std::chrono::seconds(time.tv_sec) + std::chrono::nanoseconds(time.tv_nsec);
}

/// Clocks of the threads that are running, and the time of those that have ended.
struct Clocks {
    std::mutex mutex;
    std::multiset<clockid_t> running;
    std::chrono::nanoseconds ended{0};
};

/// Never destroyed: abandoned threads may end after main().
Clocks& clocks() {
    static auto* const clocks = new Clocks();
    return *clocks;
}

clockid_t get_own_clock() {
    clockid_t clock{};
    ::pthread_getcpuclockid(::pthread_self(), &clock);
    return clock;
}

}  // namespace

BackgroundClock::BackgroundClock() {
    const std::lock_guard lock(clocks().mutex);
    clocks().running.insert(get_own_clock());
}

BackgroundClock::~BackgroundClock() {
    const std::lock_guard lock(clocks().mutex);
    const clockid_t clock = get_own_clock();
    clocks().ended += read_clock(clock);
    clocks().running.erase(clocks().running.find(clock));
}

std::chrono::nanoseconds measure_foreground_time() {
    const std::lock_guard lock(clocks().mutex);
    std::chrono::nanoseconds background = clocks().ended;
    for (const clockid_t clock : clocks().running) background += read_clock(clock);
    return read_clock(CLOCK_PROCESS_CPUTIME_ID) - background;
}

}  // namespace helioray::detail
