// SPDX-License-Identifier: MIT
// Device functions for the kernels: atomics, the threads of a block, sums over a warp.
#pragma once

#include "kernels/core/trace_types.h"

#include <cstdint>

namespace helioray::kernels {

/// Counters in shared or global memory, the Machine of block_tile.h.
struct CudaMachine {
    __device__ static uint32_t add(uint32_t* counter, uint32_t value) {
        return atomicAdd(counter, value);
    }
    __device__ static void add(int64_t* counter, int64_t value) {
        // In two's complement, unsigned addition is signed addition.
        if (value != 0)
            atomicAdd(reinterpret_cast<unsigned long long*>(counter),
                      static_cast<unsigned long long>(value));
    }
    __device__ static void mark(uint32_t* bits, uint32_t more) { atomicOr(bits, more); }
    __device__ static void lower(int32_t* bound, int32_t value) { atomicMin(bound, value); }
    __device__ static void raise(int32_t* bound, int32_t value) { atomicMax(bound, value); }
    __device__ static int64_t round(double value) { return __double2ll_rn(value); }
};

struct CudaBlock {
    __device__ int32_t thread() const { return static_cast<int32_t>(threadIdx.x); }
    __device__ int32_t num_threads() const { return static_cast<int32_t>(blockDim.x); }
    __device__ void sync() const { __syncthreads(); }
};

/// Returns the dynamic shared memory of a block.
__device__ inline uint32_t* dynamic_shared_memory() {
#if defined(HELIORAY_DYNAMIC_SHARED_MEMORY)
    return HELIORAY_DYNAMIC_SHARED_MEMORY;
#else
    extern __shared__ uint32_t helioray_shared_memory[];
    return helioray_shared_memory;
#endif
}

/// Returns the sum over a warp of values in [0, 2^31), in every lane.
__device__ inline int64_t warp_sum(int32_t value) {
    // Two sums of 16-bit halves cannot overflow 32 bits.
    const unsigned low = __reduce_add_sync(~0u, static_cast<unsigned>(value) & 0xFFFFu);
    const unsigned high = __reduce_add_sync(~0u, static_cast<unsigned>(value) >> 16);
    return (static_cast<int64_t>(high) << 16) + low;
}

/// Returns the sum over a warp by halves (lane i and i + 16, then 8, 4, 2, 1), in every lane: the
/// order of the CPU's bundles.
__device__ inline float warp_sum_by_halves(float value) {
    for (int half = 16; half > 0; half /= 2) value += __shfl_xor_sync(~0u, value, half);
    return value;
}

}  // namespace helioray::kernels
