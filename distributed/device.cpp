// SPDX-License-Identifier: MIT
// Choice of the CUDA device.
#include "distributed/device.h"

#include <stdexcept>

#ifdef HELIORAY_HAVE_CUDA
#include <cuda_runtime.h>
#endif

namespace helioray::detail {

#ifdef HELIORAY_HAVE_CUDA

CudaDevice select_cuda_device(std::optional<int> wanted, int local_rank) {
    int count = 0;
    const cudaError_t found = cudaGetDeviceCount(&count);
    if (found != cudaSuccess || count == 0)
        throw std::invalid_argument(
            std::string("a CUDA device is wanted, but none can be used: ") +
            (found != cudaSuccess ? cudaGetErrorString(found) : "none is visible"));
    if (wanted && (*wanted < 0 || *wanted >= count))
        throw std::invalid_argument("CUDA device " + std::to_string(*wanted) + " does not exist; " +
                                    std::to_string(count) + " visible, counted from 0");
    CudaDevice device;
    device.index = wanted.value_or(local_rank % count);
    cudaDeviceProp properties{};
    cudaError_t status = cudaSetDevice(device.index);
    if (status == cudaSuccess) status = cudaGetDeviceProperties(&properties, device.index);
    if (status != cudaSuccess)
        throw std::invalid_argument("CUDA device " + std::to_string(device.index) +
                                    " cannot be used: " + cudaGetErrorString(status));
    // The UUID, not the bus address: two MIG instances of one GPU are two devices.
    constexpr char kHex[] = "0123456789abcdef";
    for (const char byte : properties.uuid.bytes) {
        device.identity += kHex[(static_cast<unsigned char>(byte) >> 4) & 15];
        device.identity += kHex[static_cast<unsigned char>(byte) & 15];
    }
    return device;
}

#else

CudaDevice select_cuda_device(std::optional<int>, int) {
    throw std::invalid_argument("a CUDA device is wanted, but this program was built without CUDA");
}

#endif

}  // namespace helioray::detail
