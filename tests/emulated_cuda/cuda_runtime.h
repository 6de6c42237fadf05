// SPDX-License-Identifier: MIT
// What the module helioray_cuda calls of CUDA's runtime, on the memory of the host: stands for
// CUDA's header of this name where the module is compiled for tests.
#pragma once

#include <cstddef>
#include <cstdlib>
#include <cstring>

using cudaStream_t = void*;
enum cudaError_t { cudaSuccess = 0, cudaErrorMemoryAllocation = 2 };
enum cudaMemcpyKind { cudaMemcpyHostToDevice, cudaMemcpyDeviceToHost };
struct cudaUUID_t {
    char bytes[16];
};
struct cudaDeviceProp {
    cudaUUID_t uuid;
};

inline const char* cudaGetErrorString(cudaError_t error) {
    return error == cudaSuccess ? "no error" : "out of memory";
}
inline cudaError_t cudaMallocAsync(void** memory, size_t bytes, cudaStream_t) {
    *memory = std::malloc(bytes);
    if (*memory == nullptr) return cudaErrorMemoryAllocation;
    // New memory holds anything.
    std::memset(*memory, 0xA5, bytes);
    return cudaSuccess;
}
inline cudaError_t cudaFreeAsync(void* memory, cudaStream_t) {
    std::free(memory);
    return cudaSuccess;
}
inline cudaError_t cudaMemcpyAsync(
    void* to, const void* from, size_t bytes, cudaMemcpyKind, cudaStream_t) {
    if (bytes > 0) std::memcpy(to, from, bytes);
    return cudaSuccess;
}
inline cudaError_t cudaMemsetAsync(void* memory, int value, size_t bytes, cudaStream_t) {
    if (bytes > 0) std::memset(memory, value, bytes);
    return cudaSuccess;
}
inline cudaError_t cudaStreamSynchronize(cudaStream_t) {
    return cudaSuccess;
}
inline cudaError_t cudaGetDeviceCount(int* count) {
    *count = 1;
    return cudaSuccess;
}
inline cudaError_t cudaSetDevice(int) {
    return cudaSuccess;
}
inline cudaError_t cudaGetDeviceProperties(cudaDeviceProp* properties, int index) {
    *properties = {};
    properties->uuid.bytes[0] = static_cast<char>(index);
    return cudaSuccess;
}
