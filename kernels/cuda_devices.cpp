// SPDX-License-Identifier: MIT
// Queries the driver for devices, and loads the module that uses them.
#include "kernels/cuda_devices.h"

#include "kernels/host/module.h"

#include <dlfcn.h>

#include <iterator>

namespace helioray::kernels {

int num_cuda_devices() {
    // Query the driver only once, because loading it takes a tenth of a second.
    static const int count = [] {
        void* driver = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
        if (driver == nullptr) return 0;
        const auto init = reinterpret_cast<int (*)(unsigned)>(dlsym(driver, "cuInit"));
        const auto ask = reinterpret_cast<int (*)(int*)>(dlsym(driver, "cuDeviceGetCount"));
        int devices = 0;
        if (init == nullptr || ask == nullptr || init(0) != 0 || ask(&devices) != 0) return 0;
        return devices;
    }();
    return count;
}

std::string device_names(const std::vector<int>& indices) {
    if (indices.empty()) return "cpu";
    std::string names;
    for (const int index : indices)
        names += (names.empty() ? "cuda:" : ",") + std::to_string(index);
    return names;
}

const CudaDevices& cuda_devices() {
    using Entry = const CudaDevices* (*)(const int64_t*, int64_t);
    static const CudaDevices* const devices = [] {
        const auto entry =
            reinterpret_cast<Entry>(module_function("helioray_cuda", "helioray_cuda_devices"));
        const CudaDevices* found = entry(kRecordSizes, std::ssize(kRecordSizes));
        if (found == nullptr)
            throw ModuleError(
                "libhelioray_cuda.so belongs to another version of HelioRay; build it again");
        return found;
    }();
    return *devices;
}

}  // namespace helioray::kernels
