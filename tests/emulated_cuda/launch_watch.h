// SPDX-License-Identifier: MIT
// Launches on emulated devices, for tests in the same program.
#pragma once

#include <cstdint>
#include <functional>

/// Function that every launch calls first, on the thread of the launch, if it is set: index of the
/// device and number of units.
inline std::function<void(int device, std::int64_t num_units)>& emulated_launch_watch() {
    static auto* const watch = new std::function<void(int, std::int64_t)>;
    return *watch;
}
