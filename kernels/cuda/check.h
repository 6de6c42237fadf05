// SPDX-License-Identifier: MIT
// Errors of CUDA as exceptions, and the current device of a thread.
#pragma once

#include <cuda_runtime.h>

#include <stdexcept>
#include <string>

namespace helioray::kernels {

/// Throws std::runtime_error "CUDA: what: ..." unless the call succeeded.
inline void check(cudaError_t error, const char* what) {
    if (error != cudaSuccess)
        throw std::runtime_error(std::string("CUDA: ") + what + ": " + cudaGetErrorString(error));
}

/// Makes a device current in the calling thread; the destructor restores the previous one. An error
/// here is also that of the next call.
class DeviceScope {
  public:
    explicit DeviceScope(int device) noexcept {
        cudaGetDevice(&before_);
        cudaSetDevice(device);
    }
    ~DeviceScope() { cudaSetDevice(before_); }
    DeviceScope(const DeviceScope&) = delete;
    DeviceScope& operator=(const DeviceScope&) = delete;

  private:
    int before_ = 0;
};

/// Returns the device that is current in the calling thread.
inline int current_device() {
    int device = 0;
    check(cudaGetDevice(&device), "the current device");
    return device;
}

}  // namespace helioray::kernels
