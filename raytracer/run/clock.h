// SPDX-License-Identifier: MIT
// Clock for timings.
#pragma once

#include <chrono>

namespace helioray {

using Clock = std::chrono::steady_clock;  ///< clock that is never set back

/// Returns the seconds since `start`.
inline double seconds_since(Clock::time_point start) {
    return std::chrono::duration<double>(Clock::now() - start).count();
}

}  // namespace helioray
