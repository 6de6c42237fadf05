// SPDX-License-Identifier: MIT
// Integers in the memory of a device, for code that does not use CUDA itself.
#pragma once

#include <cstdint>

namespace helioray::kernels {

/// Consecutive int64 values in the memory of a CUDA device. All earlier work on them has finished.
struct DeviceIntegers {
    std::int64_t* data = nullptr;  ///< address on the device
    std::int64_t count = 0;        ///< number of values
    int device = 0;                ///< CUDA index of the device among those that this process sees
};

}  // namespace helioray::kernels
