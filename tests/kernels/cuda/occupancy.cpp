// SPDX-License-Identifier: MIT
// Prints how many thread blocks of a kernel a multiprocessor runs at once, by NVIDIA's formulas:
//
//   occupancy ARCHITECTURE THREADS REGISTERS SHARED_BYTES NUM_PIXELS
//
// ARCHITECTURE is sm_80, sm_90 or sm_100. NUM_PIXELS is the size of the bitmap whose windows the
// kernel stores in shared memory, 0 for a kernel without. Prints blocks, pixels of a window and
// bytes of a block.
#include "kernels/cuda/window_capacity.h"

#include <cuda_occupancy.h>

#include <climits>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace {

constexpr int kKiB = 1024;

/// Properties from the table of compute capabilities in the CUDA C++ programming guide.
struct Architecture {
    const char* name;
    int major;
    int multiprocessors;  ///< number in the largest product: A100, H100 and H200, B200
    int shared_memory;    ///< bytes per multiprocessor; a block can ask for 1 KiB less
};
constexpr Architecture kArchitectures[] = {
    {"sm_80", 8, 108, 164 * kKiB},
    {"sm_90", 9, 132, 228 * kKiB},
    {"sm_100", 10, 148, 228 * kKiB},
};

cudaOccDeviceProp device_properties(const Architecture& architecture) {
    cudaOccDeviceProp device;
    device.computeMajor = architecture.major;
    device.computeMinor = 0;
    device.maxThreadsPerBlock = 1024;
    device.maxThreadsPerMultiprocessor = 2048;
    device.regsPerBlock = device.regsPerMultiprocessor = 64 * kKiB;
    device.warpSize = 32;
    device.sharedMemPerBlock = 48 * kKiB;
    device.sharedMemPerMultiprocessor = static_cast<size_t>(architecture.shared_memory);
    device.numSms = architecture.multiprocessors;
    device.sharedMemPerBlockOptin = static_cast<size_t>(architecture.shared_memory - kKiB);
    device.reservedSharedMemPerBlock = kKiB;
    return device;
}

/// Returns the number of blocks that run at once; exits if the header refuses the numbers.
int blocks_at_once(const cudaOccDeviceProp& device,
                   int threads,
                   int registers,
                   size_t static_bytes,
                   size_t dynamic_bytes) {
    cudaOccFuncAttributes kernel;
    kernel.maxThreadsPerBlock = threads;
    kernel.numRegs = registers;
    kernel.sharedSizeBytes = static_bytes;
    kernel.partitionedGCConfig = PARTITIONED_GC_OFF;
    kernel.shmemLimitConfig = FUNC_SHMEM_LIMIT_OPTIN;
    kernel.maxDynamicSharedSizeBytes = device.sharedMemPerBlockOptin - static_bytes;
    kernel.numBlockBarriers = 1;
    cudaOccDeviceState state;
    state.carveoutConfig = SHAREDMEM_CARVEOUT_MAX_SHARED;
    cudaOccResult result;
    const cudaOccError error = cudaOccMaxActiveBlocksPerMultiprocessor(
        &result, &device, &kernel, &state, threads, dynamic_bytes);
    if (error != CUDA_OCC_SUCCESS) {
        std::fprintf(stderr, "cuda_occupancy.h returns error %d\n", static_cast<int>(error));
        std::exit(1);
    }
    return result.activeBlocksPerMultiprocessor;
}

}  // namespace

int main(int argc, char** argv) {
    const Architecture* found = nullptr;
    for (const Architecture& architecture : kArchitectures)
        if (argc == 6 && std::strcmp(argv[1], architecture.name) == 0) found = &architecture;
    if (found == nullptr) {
        std::fprintf(stderr,
                     "usage: occupancy sm_80|sm_90|sm_100 THREADS REGISTERS SHARED_BYTES "
                     "NUM_PIXELS\n");
        return 2;
    }
    const int threads = std::atoi(argv[2]);
    const int registers = std::atoi(argv[3]);
    const auto static_bytes = static_cast<size_t>(std::atoi(argv[4]));
    const cudaOccDeviceProp device = device_properties(*found);
    // As for a launch, the blocks that registers allow divide the shared memory.
    const int without_window = blocks_at_once(device, threads, registers, static_bytes, 0);
    const int32_t capacity =
        helioray::kernels::window_capacity({static_cast<int64_t>(device.sharedMemPerMultiprocessor),
                                            static_cast<int64_t>(device.reservedSharedMemPerBlock),
                                            static_cast<int64_t>(device.sharedMemPerBlockOptin)},
                                           without_window < 1 ? 1 : without_window,
                                           static_cast<int64_t>(static_bytes),
                                           std::atoi(argv[5]));
    const size_t dynamic_bytes = static_cast<size_t>(capacity) * 2 * sizeof(uint32_t);
    std::printf("%d %d %zu\n",
                blocks_at_once(device, threads, registers, static_bytes, dynamic_bytes),
                capacity,
                static_bytes + dynamic_bytes);
    return 0;
}
