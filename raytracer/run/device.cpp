// SPDX-License-Identifier: MIT
// Chooses the devices of a run.
#include "raytracer/run/device.h"

#include "kernels/cuda_devices.h"
#include "kernels/host/module.h"
#include "scenario/files/error.h"

#include <fmt/format.h>

#include <numeric>

namespace helioray::run {

namespace {

/// Throws InputError if the code for CUDA devices is missing. The run never falls back to the CPU
/// silently.
void require_cuda_module(int devices) {
    try {
        kernels::cuda_devices();
    } catch (const ModuleError& error) {
        throw InputError(
            Problem{"device",
                    fmt::format("{} CUDA device(s) present, but they cannot be used", devices),
                    error.what(),
                    "use device cpu, or build the module"});
    }
}

}  // namespace

DeviceChoice choose_device(const DeviceConfig& config, Model model) {
    using Kind = DeviceConfig::Kind;
    if (config.kind == Kind::cpu) return {{}, "asked for"};
    const bool automatic = config.kind == Kind::automatic;
    if (model == Model::artist) {
        if (automatic) return {{}, "model artist draws ARTIST's random numbers on the CPU"};
        throw InputError(
            Problem{"device", "model artist runs on the CPU only", "", "use device cpu or auto"});
    }
    const int devices = kernels::num_cuda_devices();
    if (devices == 0) {
        if (automatic) return {{}, "no CUDA device present"};
        throw InputError(
            Problem{"device", "no CUDA device is present", "", "use device cpu or auto"});
    }
    require_cuda_module(devices);
    DeviceChoice choice{config.indices, "asked for"};
    for (const int index : config.indices) {
        if (index < devices) continue;
        throw InputError(Problem{"device",
                                 fmt::format("there is no device cuda:{}", index),
                                 fmt::format("{} CUDA device(s) present, counted from 0", devices),
                                 "choose one of them, or cuda for all"});
    }
    if (config.indices.empty()) {
        choice.cuda_devices.resize(static_cast<size_t>(devices));
        std::iota(choice.cuda_devices.begin(), choice.cuda_devices.end(), 0);
    }
    if (automatic) choice.reason = fmt::format("{} CUDA device(s) present", devices);
    return choice;
}

}  // namespace helioray::run
