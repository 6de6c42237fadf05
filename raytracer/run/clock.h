// SPDX-License-Identifier: MIT
// The clock of timings.
#pragma once

#include <chrono>

namespace helioray {

using Clock = std::chrono::steady_clock;

/// Seconds that have passed since then.
inline double seconds_since(Clock::time_point start) {
    return std::chrono::duration<double>(Clock::now() - start).count();
}

}  // namespace helioray
