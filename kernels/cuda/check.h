// SPDX-License-Identifier: MIT
// Converts errors of CUDA to exceptions.
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

}  // namespace helioray::kernels
