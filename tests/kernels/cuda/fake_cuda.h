// SPDX-License-Identifier: MIT
// CUDA's names for one thread block on threads of the CPU, so that the kernel's own source, which
// this brings along, runs in tests where there is no GPU.
#pragma once

#include "kernels/core/trace_types.h"

#include <pthread.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <memory>
#include <thread>
#include <vector>

#define __device__
#define __global__
#define __constant__
#define __grid_constant__
#define __launch_bounds__(...)
#define __shared__ static
#define __noinline__

namespace helioray::test {

struct Index3 {
    unsigned x = 0;
};

constexpr unsigned kWarp = 32;

/// Threads wait here without using the processor: std::barrier of libstdc++ spins first, which
/// takes hundreds of threads on a few cores many times as long.
class Barrier {
  public:
    explicit Barrier(unsigned threads) { pthread_barrier_init(&barrier_, nullptr, threads); }
    ~Barrier() { pthread_barrier_destroy(&barrier_); }
    Barrier(const Barrier&) = delete;
    Barrier& operator=(const Barrier&) = delete;

    void arrive_and_wait() { pthread_barrier_wait(&barrier_); }

  private:
    pthread_barrier_t barrier_;
};

/// What the threads of the running block share.
struct RunningBlock {
    std::unique_ptr<Barrier> all;
    std::vector<std::unique_ptr<Barrier>> warps;
    std::vector<int64_t> slots;  ///< one for each thread
    std::vector<uint32_t> shared_memory;
};
inline RunningBlock running_block;

}  // namespace helioray::test

inline thread_local helioray::test::Index3 threadIdx;
inline helioray::test::Index3 blockIdx, blockDim, gridDim;

inline void __syncthreads() {
    helioray::test::running_block.all->arrive_and_wait();
}
inline void __syncwarp() {
    helioray::test::running_block.warps[threadIdx.x / helioray::test::kWarp]->arrive_and_wait();
}

namespace helioray::test {

/// All lanes' values folded by `fold`, in every lane.
template <typename Fold>
int64_t over_warp(int64_t value, Fold fold) {
    running_block.slots[threadIdx.x] = value;
    __syncwarp();
    int64_t result = 0;
    const unsigned first = threadIdx.x / kWarp * kWarp;
    for (unsigned lane = 0; lane < kWarp; ++lane)
        result = fold(result, running_block.slots[first + lane], lane);
    __syncwarp();
    return result;
}

/// Runs `kernel(block)` as blocks of `threads` threads, one block after the other. Shared variables
/// keep what the block before left, as uninitialised memory does.
template <typename Kernel>
void run_blocks(unsigned blocks, unsigned threads, size_t shared_words, const Kernel& kernel) {
    gridDim.x = blocks;
    blockDim.x = threads;
    for (unsigned block = 0; block < blocks; ++block) {
        blockIdx.x = block;
        running_block.all = std::make_unique<Barrier>(threads);
        running_block.warps.clear();
        for (unsigned w = 0; w < threads / kWarp; ++w)
            running_block.warps.push_back(std::make_unique<Barrier>(kWarp));
        running_block.slots.assign(threads, 0);
        running_block.shared_memory.assign(shared_words, 0xDEADBEEFu);
        std::vector<std::thread> running;
        for (unsigned t = 0; t < threads; ++t) {
            running.emplace_back([&kernel, t] {
                threadIdx.x = t;
                kernel();
            });
        }
        for (std::thread& thread : running) thread.join();
    }
}

}  // namespace helioray::test

inline int32_t __reduce_add_sync(unsigned, int32_t value) {
    return static_cast<int32_t>(
        helioray::test::over_warp(value, [](int64_t a, int64_t b, unsigned) { return a + b; }));
}
inline uint32_t __reduce_add_sync(unsigned, uint32_t value) {
    return static_cast<uint32_t>(
        helioray::test::over_warp(value, [](int64_t a, int64_t b, unsigned) { return a + b; }));
}
namespace helioray::test {

/// The value of another lane of the warp.
template <typename T>
T value_of_lane(T value, unsigned lane) {
    static_assert(sizeof(T) == 4);
    int32_t bits;
    __builtin_memcpy(&bits, &value, 4);
    running_block.slots[threadIdx.x] = bits;
    __syncwarp();
    bits = static_cast<int32_t>(running_block.slots[threadIdx.x / kWarp * kWarp + lane]);
    __syncwarp();
    __builtin_memcpy(&value, &bits, 4);
    return value;
}

}  // namespace helioray::test

inline float __shfl_xor_sync(unsigned, float value, int mask) {
    return helioray::test::value_of_lane(
        value, threadIdx.x % helioray::test::kWarp ^ static_cast<unsigned>(mask));
}
inline uint32_t __shfl_up_sync(unsigned, uint32_t value, unsigned step) {
    const unsigned lane = threadIdx.x % helioray::test::kWarp;
    return helioray::test::value_of_lane(value, lane < step ? lane : lane - step);
}
inline uint32_t __shfl_sync(unsigned, uint32_t value, int lane) {
    return helioray::test::value_of_lane(value, static_cast<unsigned>(lane));
}
inline unsigned __ballot_sync(unsigned, bool value) {
    return static_cast<unsigned>(helioray::test::over_warp(
        value,
        [](int64_t a, int64_t b, unsigned lane) { return b != 0 ? a | (int64_t{1} << lane) : a; }));
}
inline int __ffs(unsigned bits) {
    return __builtin_ffs(static_cast<int>(bits));
}
inline int __popc(unsigned bits) {
    return __builtin_popcount(bits);
}
inline int64_t __double2ll_rn(double value) {
    return std::llrint(value);
}
template <typename T>
T atomicAdd(T* counter, T value) {
    return __atomic_fetch_add(counter, value, __ATOMIC_RELAXED);
}
inline void atomicOr(uint32_t* bits, uint32_t more) {
    __atomic_fetch_or(bits, more, __ATOMIC_RELAXED);
}
inline void fake_atomic_bound(int32_t* bound, int32_t value, bool down) {
    int32_t held = __atomic_load_n(bound, __ATOMIC_RELAXED);
    while ((down ? value < held : value > held) &&
           !__atomic_compare_exchange_n(
               bound, &held, value, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
    }
}
inline void atomicMin(int32_t* bound, int32_t value) {
    fake_atomic_bound(bound, value, true);
}
inline void atomicMax(int32_t* bound, int32_t value) {
    fake_atomic_bound(bound, value, false);
}
/// Stands for the array that the launch provides.
#define HELIORAY_DYNAMIC_SHARED_MEMORY (helioray::test::running_block.shared_memory.data())

// After the names that it uses.
// clang-format off
#include "kernels/cuda/backward_units.cuh"
#include "kernels/cuda/receiver_backward_units.cuh"
#include "kernels/cuda/receiver_units.cuh"
#include "kernels/cuda/reflecting_units.cuh"
// clang-format on
