// SPDX-License-Identifier: MIT
// Choice of the CUDA device.
#include "distributed/device.h"

#include "kernels/cuda_devices.h"

#include <stdexcept>

namespace helioray::detail {

CudaDevice select_cuda_device(std::optional<int> wanted, int local_rank) {
    const kernels::CudaDevices& devices = kernels::cuda_devices();
    int count = 0;
    try {
        count = devices.count();
    } catch (const std::exception& error) {
        throw std::invalid_argument(std::string("a CUDA device is wanted, but none can be used: ") +
                                    error.what());
    }
    if (count == 0) throw std::invalid_argument("a CUDA device is wanted, but none is visible");
    if (wanted && (*wanted < 0 || *wanted >= count))
        throw std::invalid_argument("CUDA device " + std::to_string(*wanted) + " does not exist; " +
                                    std::to_string(count) + " visible, counted from 0");
    CudaDevice device;
    device.index = wanted.value_or(local_rank % count);
    try {
        devices.use(device.index);
        device.identity = devices.identity(device.index);
    } catch (const std::exception& error) {
        throw std::invalid_argument("CUDA device " + std::to_string(device.index) +
                                    " cannot be used: " + error.what());
    }
    return device;
}

}  // namespace helioray::detail
