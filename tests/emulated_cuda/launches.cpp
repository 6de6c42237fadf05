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

/// Blocks share variables: one launch at a time.
std::mutex& launching() {
    static std::mutex mutex;
    return mutex;
}

/// Reports a launch to a test, which may make it fail, and runs the kernel block by block.
template <typename Kernel>
void launch(int64_t num_units, size_t shared_words, const Kernel& kernel) {
    if (num_units == 0) return;
    if (const auto& watch = emulated_launch_watch()) watch(emulated_device(), num_units);
    if (emulated_fault("launch"))
        throw std::runtime_error("CUDA: trace: unspecified launch failure");
    const std::lock_guard lock(launching());
    test::run_blocks(kBlocks, kThreadsPerBlock, shared_words, kernel);
}

/// Zeroed bitmaps of both halves of all blocks, with so many maps in each half.
std::vector<int64_t> make_tiles(const FieldView& field, int32_t num_maps) {
    return std::vector<int64_t>(2 * kBlocks * static_cast<size_t>(num_maps) *
                                static_cast<size_t>(field.bitmap_width) *
                                static_cast<size_t>(field.bitmap_height));
}

bool has_occlusion(const FieldView& field) {
    return field.shading != 0 || field.blocking != 0;
}

}  // namespace

void trace_receivers_cuda(
    const FieldView& field, const WorkUnit* units, int64_t num_units, const SumsView& sums, void*) {
    std::vector<int64_t> spilled = make_tiles(field, field.num_surfaces);
    const auto kernel = receiver_kernel(field);
    launch(num_units, 0, [&] { kernel(field, units, num_units, sums, spilled.data()); });
}

void trace_reflections_cuda(
    const FieldView& field, const WorkUnit* units, int64_t num_units, const SumsView& sums, void*) {
    std::vector<int64_t> spilled = make_tiles(field, 2 * field.num_surfaces);
    std::vector<BatchCarriers> carriers(kBlocks);
    const auto kernel = reflecting_kernel(field);
    launch(num_units, sizeof(ReflectionMemory) / sizeof(uint32_t), [&] {
        kernel(field, units, num_units, sums, spilled.data(), carriers.data());
    });
}

void trace_targets_cuda(
    const FieldView& field, const WorkUnit* units, int64_t num_units, const SumsView& sums, void*) {
    std::vector<int64_t> spilled = make_tiles(field, 1);
    const auto kernel =
        has_occlusion(field) ? trace_units<WarpOcclusion> : trace_units<NothingInTheWay>;
    launch(num_units, 2 * static_cast<size_t>(kCapacity), [&] {
        kernel(field, units, num_units, sums, spilled.data(), kCapacity);
    });
}

void trace_targets_backward_cuda(const FieldView& field,
                                 const WorkUnit* units,
                                 int64_t num_units,
                                 const float* gradient,
                                 const GradientScale& scale,
                                 const GradientSums& sums,
                                 void*) {
    const auto kernel =
        has_occlusion(field) ? backward_units<WarpOcclusion> : backward_units<NothingInTheWay>;
    launch(num_units, 0, [&] { kernel(field, units, num_units, gradient, scale, sums); });
}

void trace_receivers_backward_cuda(const FieldView& field,
                                   const WorkUnit* units,
                                   int64_t num_units,
                                   const float* gradient,
                                   const GradientScale& scale,
                                   const GradientSums& sums,
                                   void*) {
    const auto kernel = receiver_backward_kernel(field);
    launch(num_units, sizeof(SurfaceViews) / sizeof(uint32_t), [&] {
        kernel(field, units, num_units, gradient, scale, sums);
    });
}

}  // namespace helioray::kernels
