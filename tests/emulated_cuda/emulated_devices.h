// SPDX-License-Identifier: MIT
#pragma once

#include "kernels/cuda_devices.h"
#include "tests/support/catch2.h"

#include <cstdint>
#include <iterator>

extern "C" const helioray::kernels::CudaDevices* helioray_cuda_devices(
    const std::int64_t* record_sizes, std::int64_t count);

namespace helioray::test {

/// The emulated devices, as the module for CUDA offers real ones.
inline const kernels::CudaDevices& emulated_devices() {
    const kernels::CudaDevices* found =
        helioray_cuda_devices(kernels::kRecordSizes, std::ssize(kernels::kRecordSizes));
    REQUIRE(found != nullptr);
    return *found;
}

}  // namespace helioray::test
