// SPDX-License-Identifier: MIT
// Which device a run uses.
#pragma once

#include "scenario/run_config.h"

#include <optional>
#include <string>

namespace helioray::run {

/// A device and why it was chosen.
struct DeviceChoice {
    bool use_cuda = false;          ///< false: the CPU
    std::optional<int> cuda_index;  ///< nothing: by the local rank
    std::string reason;             ///< "2 CUDA device(s) present"
};

/// auto: CUDA when a device is there and the model runs on it, else the CPU. An explicit wish that
/// cannot be met, and a device without the CUDA module, is an InputError, never a fallback.
DeviceChoice choose_device(const DeviceConfig& config, Model model);

}  // namespace helioray::run
