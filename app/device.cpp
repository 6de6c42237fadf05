// SPDX-License-Identifier: MIT
// Which device a run uses.
#include "app/device.h"

#include "kernels/trace_flux.h"
#include "scenario/error.h"

#include <fmt/format.h>

#ifdef HELIORAY_HAVE_CUDA
#include <c10/cuda/CUDAFunctions.h>
#endif

namespace helioray::app {

int num_cuda_devices() {
#ifdef HELIORAY_HAVE_CUDA
    return kernels::built_with_cuda() ? static_cast<int>(c10::cuda::device_count()) : 0;
#else
    return 0;
#endif
}

DeviceChoice choose_device(const DeviceConfig& config, Model model) {
    using Kind = DeviceConfig::Kind;
    if (config.kind == Kind::cpu) return {false, {}, "asked for"};
    const int devices = num_cuda_devices();
    if (config.kind == Kind::automatic) {
        if (model == Model::artist)
            return {false, {}, "model artist draws ARTIST's random numbers on the CPU"};
        if (devices > 0) return {true, {}, fmt::format("{} CUDA device(s) present", devices)};
        return {false,
                {},
                kernels::built_with_cuda() ? "no CUDA device present"
                                           : "this program was built without CUDA"};
    }
    if (!kernels::built_with_cuda()) {
        throw InputError(
            Problem{"device", "this program was built without CUDA", "", "use device cpu or auto"});
    }
    if (model == Model::artist) {
        throw InputError(
            Problem{"device", "model artist runs on the CPU only", "", "use device cpu or auto"});
    }
    if (devices == 0) {
        throw InputError(
            Problem{"device", "no CUDA device is present", "", "use device cpu or auto"});
    }
    if (config.index && *config.index >= devices) {
        throw InputError(Problem{"device",
                                 fmt::format("there is no device cuda:{}", *config.index),
                                 fmt::format("{} CUDA device(s) present, counted from 0", devices),
                                 ""});
    }
    return {true, config.index, "asked for"};
}

}  // namespace helioray::app
