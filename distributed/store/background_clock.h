// SPDX-License-Identifier: MIT
// Processor time of a process without that of the threads that watch it.
#pragma once

#include <chrono>

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

}  // namespace helioray::detail
