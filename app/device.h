// SPDX-License-Identifier: MIT
// Which device a run uses.
#pragma once

#include "scenario/run_config.h"

#include <string>

namespace helioray::app {

/// Number of CUDA devices this program can use: 0 when it was built without CUDA or the machine has
/// none.
int num_cuda_devices();

struct DeviceChoice {
    bool use_cuda = false;
    std::optional<int> cuda_index;
    std::string reason;  ///< for doctor and logs
};

/// auto: CUDA when a device is there and the model runs on it, else the CPU. An explicit wish that
/// cannot be met is an InputError, never a fallback.
DeviceChoice choose_device(const DeviceConfig& config, Model model);

}  // namespace helioray::app
