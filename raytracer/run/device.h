// SPDX-License-Identifier: MIT
// Chooses the device of a run.
#pragma once

#include "scenario/types/run_config.h"

#include <optional>
#include <string>

namespace helioray::run {

/// A device and the reason for its choice.
struct DeviceChoice {
    bool use_cuda = false;          ///< false: the CPU
    std::optional<int> cuda_index;  ///< index of the CUDA device; not set: chosen by the local rank
    std::string reason;             ///< reason for messages: "2 CUDA device(s) present"
};

/// Chooses the device. `auto` means CUDA if a device is present and supports the model, otherwise
/// the CPU. Throws InputError, without a fallback, if a requested device does not exist and if the
/// CUDA module is missing for a present device.
DeviceChoice choose_device(const DeviceConfig& config, Model model);

}  // namespace helioray::run
