// SPDX-License-Identifier: MIT
// The CUDA kernel for light on receivers of several surfaces, which absorb all that they meet: one
// thread block per work unit, as trace_units.
#pragma once

#include "kernels/cuda/surface_deposits.cuh"

namespace helioray::kernels {

namespace {

/// The light of a block of rays on the surfaces of all receivers. has_meshes: some may be meshes.
template <bool has_meshes>
class SurfaceImage {
  public:
    static constexpr bool kHasWindow = false;

    __device__ SurfaceImage(const FieldView& field,
                            const HeliostatRecord&,
                            const ReceiverTile& tile,
                            const BlockMemory&,
                            int half)
        : surfaces_(field, tile.memory->views[threadIdx.x / kRaysPerPoint]),
          memory_(*tile.memory),
          deposits_(field, tile, half) {}

    __device__ WarpSurfaces<has_meshes>& receiver() { return surfaces_; }
    __device__ void add(const FieldView&, const RayOutcome<float, SurfaceHit<float>>& outcome) {
        const SurfaceHit<float>& hit = outcome.path.hit;
        if (hit.meets && !hit.mask) shielded_ += outcome.arriving;
        if (hit.front) deposits_.add(hit, hit.surface, outcome.arriving);
    }
    __device__ void end_batch() {
        const int64_t sum = warp_sum(shielded_);
        if (threadIdx.x % kRaysPerPoint == 0) CudaMachine::add(&memory_.shielded, sum);
        shielded_ = 0;
    }
    __device__ void end_block() { deposits_.end_block(); }

  private:
    WarpSurfaces<has_meshes> surfaces_;
    SurfaceMemory& memory_;
    SurfaceDeposits deposits_;
    int32_t shielded_ = 0;  ///< light of a batch, less than 2^28 quanta in each lane
};

/// Kernel for work units with receivers of several surfaces; leaves out others. spilled:
/// [gridDim.x, 2, num_surfaces, num_pixels], zero before and after. has_meshes: surfaces may be
/// meshes, whose search needs registers and local memory.
template <typename Occlusion, bool has_meshes>
__global__ void __launch_bounds__(kThreadsPerBlock, kBlocksPerMultiprocessor)
    trace_receiver_units(const __grid_constant__ FieldView field,
                         const WorkUnit* units,
                         int64_t num_units,
                         const __grid_constant__ SumsView sums,
                         int64_t* spilled) {
    __shared__ BlockMemory memory;
    __shared__ SurfaceMemory of_surfaces;
    load_tables(memory.tables);
    ReceiverTile tile = make_tile(field, field.num_surfaces, spilled, of_surfaces);
    for (int64_t u = blockIdx.x; u < num_units; u += gridDim.x) {
        const WorkUnit unit = units[u];
        if (field.targets[unit.target].in_receiver == 0) continue;
        if (threadIdx.x == 0) assert_unit(field, unit);
        tile.own_map = unit.target;
        const int32_t end = unit.first_heliostat + unit.num_heliostats;
        for (int32_t i = unit.first_heliostat; i < end; ++i) {
            if (sums.heliostat_flux != nullptr)
                tile.heliostat_flux = sums.heliostat_flux + i * tile.num_pixels;
            trace_heliostat<Occlusion, SurfaceImage<has_meshes>>(
                field, unit, i, false, 0, sums, tile, memory);
            add_shielded(i, sums, of_surfaces);
            __syncthreads();
        }
        flush_surfaces<CudaMachine>(tile, field, sums, CudaBlock());
    }
}

/// Returns the kernel with the features of a field.
inline auto receiver_kernel(const FieldView& field) {
    const bool occlusion = field.shading != 0 || field.blocking != 0;
    if (field.meshes != nullptr)
        return occlusion ? trace_receiver_units<WarpReceiverOcclusion, true>
                         : trace_receiver_units<NothingInTheWay, true>;
    return occlusion ? trace_receiver_units<WarpReceiverOcclusion, false>
                     : trace_receiver_units<NothingInTheWay, false>;
}

}  // namespace

}  // namespace helioray::kernels
