// SPDX-License-Identifier: MIT
// Chooses the devices of a run.
#pragma once

#include "scenario/types/run_config.h"

#include <string>
#include <vector>

namespace helioray::run {

/// Devices and the reason for their choice.
struct DeviceChoice {
    std::vector<int> cuda_devices;  ///< CUDA devices that the run may use; empty: the CPU
    std::string reason;             ///< reason for messages: "2 CUDA device(s) present"

    bool use_cuda() const { return !cuda_devices.empty(); }  ///< false: the CPU
};

/// Chooses the devices of a run. `cuda` means all devices that this process sees, `auto` the same
/// if there is one that can trace the model, otherwise the CPU. Throws InputError, without a
/// fallback, if a requested device does not exist or cannot trace the model, and if the CUDA module
/// is missing for a present device.
DeviceChoice choose_device(const DeviceConfig& config, Model model);

}  // namespace helioray::run
