// SPDX-License-Identifier: MIT
// The CUDA device of a rank.
#pragma once

#include <optional>
#include <string>

namespace helioray::detail {

/// A rank's CUDA device.
struct CudaDevice {
    int index = 0;  ///< among those this process sees, from 0
    std::string
        identity;  ///< the same text for the same GPU (or MIG instance), wherever it is seen from
};

/// Chooses `wanted`, or local_rank modulo the number of visible devices, and makes it the thread's
/// current device. Throws std::invalid_argument without a device or when `wanted` does not exist,
/// ModuleError where the CUDA module is missing.
CudaDevice select_cuda_device(std::optional<int> wanted, int local_rank);

}  // namespace helioray::detail
