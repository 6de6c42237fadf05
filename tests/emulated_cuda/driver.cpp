// SPDX-License-Identifier: MIT
// A driver that offers the emulated devices: stands for libcuda.so.1.
#include "tests/emulated_cuda/cuda_runtime.h"

extern "C" int cuInit(unsigned) {
    return 0;
}
extern "C" int cuDeviceGetCount(int* count) {
    return cudaGetDeviceCount(count);
}
