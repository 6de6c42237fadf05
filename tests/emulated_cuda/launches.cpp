// SPDX-License-Identifier: MIT
// Launches of the CUDA kernels on threads of the CPU, one block after the other.
#include "kernels/cuda/launch.h"
#include "tests/emulated_cuda/cuda_runtime.h"
#include "tests/emulated_cuda/launch_watch.h"
#include "tests/kernels/cuda/fake_cuda.h"

#include <mutex>
#include <stdexcept>
#include <vector>

namespace helioray::kernels {

namespace {

constexpr unsigned kBlocks = 2;
/// Pixels of a block's window; larger images spill.
constexpr int32_t kCapacity = 700;

/// Reports the launch to a test; fails as the emulated device does.
void begin_launch(int64_t num_units) {
    if (const auto& watch = emulated_launch_watch()) watch(emulated_device(), num_units);
    if (emulated_fault("launch"))
        throw std::runtime_error("CUDA: trace: unspecified launch failure");
}

/// Blocks share variables: one launch at a time.
std::mutex& launching() {
    static std::mutex mutex;
    return mutex;
}

}  // namespace

void trace_receivers_cuda(
    const FieldView& field, const WorkUnit* units, int64_t num_units, const SumsView& sums, void*) {
    const auto maps = static_cast<size_t>(field.num_surfaces);
    std::vector<int64_t> spilled(2 * kBlocks * maps * field.bitmap_width * field.bitmap_height);
    const bool occlusion = field.shading != 0 || field.blocking != 0;
    const auto kernel = occlusion ? trace_receiver_units<WarpReceiverOcclusion>
                                  : trace_receiver_units<NothingInTheWay>;
    test::run_blocks(kBlocks, kThreadsPerBlock, 0, [&] {
        kernel(field, units, num_units, sums, spilled.data());
    });
}

void trace_reflections_cuda(
    const FieldView& field, const WorkUnit* units, int64_t num_units, const SumsView& sums, void*) {
    const auto maps = static_cast<size_t>(2 * field.num_surfaces);
    std::vector<int64_t> spilled(2 * kBlocks * maps * field.bitmap_width * field.bitmap_height);
    std::vector<BatchCarriers> carriers(kBlocks);
    const bool occlusion = field.shading != 0 || field.blocking != 0;
    const auto kernel = occlusion ? trace_reflecting_units<WarpReceiverOcclusion>
                                  : trace_reflecting_units<NothingInTheWay>;
    test::run_blocks(kBlocks, kThreadsPerBlock, sizeof(ReflectionMemory) / 4, [&] {
        kernel(field, units, num_units, sums, spilled.data(), carriers.data());
    });
}

void trace_flux_cuda(
    const FieldView& field, const WorkUnit* units, int64_t num_units, const SumsView& sums, void*) {
    if (num_units == 0) return;
    begin_launch(num_units);
    const std::lock_guard lock(launching());
    const auto pixels = static_cast<size_t>(field.bitmap_width) * field.bitmap_height;
    const bool occlusion = field.shading != 0 || field.blocking != 0;
    if (field.num_surfaces > 0) {
        const auto trace = field.reflects != 0 ? trace_reflections_cuda : trace_receivers_cuda;
        trace(field, units, num_units, sums, nullptr);
    }
    if (field.num_targets == field.num_surfaces) return;
    std::vector<int64_t> spilled(2 * kBlocks * pixels);
    const auto kernel = occlusion ? trace_units<WarpOcclusion> : trace_units<NothingInTheWay>;
    test::run_blocks(kBlocks, kThreadsPerBlock, 2 * static_cast<size_t>(kCapacity), [&] {
        kernel(field, units, num_units, sums, spilled.data(), kCapacity);
    });
}

void trace_flux_backward_cuda(const FieldView& field,
                              const WorkUnit* units,
                              int64_t num_units,
                              const float* flux_gradient,
                              const GradientScale& scale,
                              const GradientSums& sums,
                              void*) {
    if (num_units == 0) return;
    begin_launch(num_units);
    const std::lock_guard lock(launching());
    const bool occlusion = field.shading != 0 || field.blocking != 0;
    const auto kernel = occlusion ? backward_units<WarpOcclusion> : backward_units<NothingInTheWay>;
    test::run_blocks(kBlocks, kThreadsPerBlock, 0, [&] {
        kernel(field, units, num_units, flux_gradient, scale, sums);
    });
}

}  // namespace helioray::kernels
