// SPDX-License-Identifier: MIT
// The backward CUDA kernel for light on receivers of several surfaces, none of which is a mesh: one
// thread block per work unit, as backward_units.
#pragma once

#include "kernels/cuda/backward_units.cuh"
#include "kernels/cuda/surface_deposits.cuh"

namespace helioray::kernels {

namespace {

/// Dynamic shared memory of a block.
struct SurfaceViews {
    WarpView of_warps[kWarpsPerBlock];
};

/// Computes the derivatives of the units of a block. mirrors: as for SurfaceLight.
template <typename Occlusion>
__device__ void backward_surfaces(const FieldView& field,
                                  const WorkUnit* units,
                                  int64_t num_units,
                                  const float* gradient,
                                  const SurfaceLight<float>::Mirrors* mirrors,
                                  const GradientScale& scale,
                                  const GradientSums& sums,
                                  SurfaceViews& views,
                                  BackwardMemory& memory) {
    const auto lane = static_cast<uint32_t>(threadIdx.x) % kRaysPerPoint;
    WarpSurfaces<false> surfaces(field, views.of_warps[threadIdx.x / kRaysPerPoint]);
    const SurfaceLight<float> light(field, gradient, mirrors);
    for (int64_t u = blockIdx.x; u < num_units; u += gridDim.x) {
        const WorkUnit unit = units[u];
        if (field.targets[unit.target].in_receiver == 0) continue;
        if (threadIdx.x == 0) assert_unit(field, unit);
        const int32_t end = unit.first_heliostat + unit.num_heliostats;
        for (int32_t i = unit.first_heliostat; i < end; ++i) {
            const uint32_t random_id = field.heliostats[i].random_id;
            const auto light_of = [&](uint64_t bundle) {
                const auto low = static_cast<uint32_t>(bundle);
                const uint32_t high = static_cast<uint32_t>(bundle >> 32) << kLaneBits;
                return SurfacesLight<float>{light, random_id, low, high + lane};
            };
            backward_heliostat<Occlusion>(field, unit, i, surfaces, light_of, scale, sums, memory);
        }
    }
}

/// Kernel for work units with receivers of several surfaces; leaves out others. gradient: the maps
/// of surface_maps(). reflects: some of the surfaces may be mirrors, whose light goes on, which
/// needs registers and local memory. Dynamic shared memory: SurfaceViews.
template <typename Occlusion, bool reflects>
__global__ void __launch_bounds__(kThreadsPerBlock, kBlocksPerMultiprocessor)
    backward_receiver_units(const __grid_constant__ FieldView field,
                            const WorkUnit* units,
                            int64_t num_units,
                            const float* gradient,
                            const __grid_constant__ GradientScale scale,
                            const __grid_constant__ GradientSums sums) {
    __shared__ BackwardMemory memory;
    auto& views = *reinterpret_cast<SurfaceViews*>(dynamic_shared_memory());
    load_tables(memory.tables);
    __syncthreads();
    const auto run = [&](const SurfaceLight<float>::Mirrors* mirrors) {
        backward_surfaces<Occlusion>(
            field, units, num_units, gradient, mirrors, scale, sums, views, memory);
    };
    if constexpr (reflects) {
        const SurfaceLight<float>::Mirrors surfaces(
            field, field.surface_tables->groups(), *field.reflecting_tables);
        run(surfaces.has_mirrors() ? &surfaces : nullptr);
    } else {
        run(nullptr);
    }
}

/// Returns the kernel with the features of a field.
inline auto receiver_backward_kernel(const FieldView& field) {
    const bool occlusion = field.shading != 0 || field.blocking != 0;
    if (field.reflects != 0)
        return occlusion ? backward_receiver_units<WarpReceiverOcclusion, true>
                         : backward_receiver_units<NothingInTheWay, true>;
    return occlusion ? backward_receiver_units<WarpReceiverOcclusion, false>
                     : backward_receiver_units<NothingInTheWay, false>;
}

}  // namespace

}  // namespace helioray::kernels
