// SPDX-License-Identifier: MIT
// Which device a run uses.
#pragma once

#include "scenario/run_config.h"

#include <string>

namespace helioray::app {

struct DeviceChoice {
    bool use_cuda = false;
    std::optional<int> cuda_index;
    std::string reason;  ///< for doctor and logs
};

/// auto: CUDA when a device is there and the model runs on it, else the CPU. An explicit wish that
/// cannot be met, and a device without the CUDA module, is an InputError, never a fallback.
DeviceChoice choose_device(const DeviceConfig& config, Model model);

}  // namespace helioray::app
