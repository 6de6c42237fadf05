// SPDX-License-Identifier: MIT
// The CUDA kernel for light on receivers of several surfaces, which absorb all that they meet: one
// thread block per work unit, as trace_units.
#pragma once

#include "kernels/cuda/trace_units.cuh"
#include "kernels/cuda/warp_surfaces.cuh"

namespace helioray::kernels {

/// Occluders of a warp's bundle, and mirrors among the surfaces of receivers.
class WarpReceiverOcclusion : public WarpOcclusion {
  public:
    using WarpOcclusion::WarpOcclusion;

    __device__ bool shaded(const Vec<float>& s) const {
        bool met = WarpOcclusion::shaded(s);
        if (field_.has_shading_surfaces != 0 && may_meet_shading_surface(field_, to_sun_))
            met |= meet_shading_surfaces(field_, to_sun_.origin, s, kNoLimit);
        return met;
    }
};

namespace {

/// Memory that the threads of a block share besides BlockMemory.
struct SurfaceMemory {
    WarpView views[kWarpsPerBlock];
    TouchedSurfaces touched;
    int64_t power_difference;
    int64_t shielded;  ///< light of a heliostat that first meets a shield or a back
};

/// The bitmaps of all surfaces, and the memory of the block.
struct ReceiverTile : SurfaceTile {
    SurfaceMemory* memory;
};

/// Returns the tile of a block with so many maps, and clears what the block shares. spilled: those
/// of all blocks. The block must synchronise before it uses the tile.
__device__ inline ReceiverTile make_tile(const FieldView& field,
                                         int32_t num_maps,
                                         int64_t* spilled,
                                         SurfaceMemory& memory) {
    if (threadIdx.x == 0) {
        memory.touched = TouchedSurfaces::none(num_maps);
        memory.power_difference = memory.shielded = 0;
    }
    ReceiverTile tile{};
    tile.num_maps = num_maps;
    tile.num_pixels = static_cast<int64_t>(field.bitmap_width) * field.bitmap_height;
    tile.spilled = spilled + blockIdx.x * 2 * num_maps * tile.num_pixels;
    tile.touched = &memory.touched;
    tile.power_difference = &memory.power_difference;
    tile.memory = &memory;
    return tile;
}

/// Adds what a heliostat loses on shields and backs to the sums of the field, and clears it.
__device__ inline void add_shielded(int32_t heliostat,
                                    const SumsView& sums,
                                    SurfaceMemory& memory) {
    if (threadIdx.x != 0) return;
    if (sums.shielded != nullptr) CudaMachine::add(sums.shielded + heliostat, memory.shielded);
    memory.shielded = 0;
}

/// Adds the light of a block of rays to the maps of surfaces.
class SurfaceDeposits {
  public:
    __device__ SurfaceDeposits(const FieldView& field, const SurfaceTile& tile, int half)
        : field_(field), tile_(tile), touched_(TouchedSurfaces::none(tile.num_maps)), half_(half) {}

    /// Adds quanta where the lane's ray has hit a front, to map `map` of the tile.
    __device__ void add(const SurfaceHit<float>& hit, int32_t map, int32_t quanta) {
        const PixelShares<float> shares =
            pixel_shares(hit, quanta, field_.filter, field_.bitmap_width, field_.bitmap_height);
        touched_.include(map, shares.pixel[0], shares.pixel[shares.count - 1]);
        const int32_t of_field = map_of_tile(field_, map);
#pragma unroll
        for (int k = 0; k < 4; ++k) {
            if (k < shares.count)
                add_to_surface<CudaMachine>(
                    tile_, half_, map, of_field, shares.pixel[k], shares.quanta[k]);
        }
    }
    /// Tells the block what the lane has touched.
    __device__ void end_block() const {
        if (touched_.groups == 0) return;
        CudaMachine::mark(&tile_.touched->groups, touched_.groups);
        CudaMachine::lower(&tile_.touched->pixels.first, touched_.pixels.first);
        CudaMachine::raise(&tile_.touched->pixels.last, touched_.pixels.last);
    }

  private:
    const FieldView& field_;
    const SurfaceTile& tile_;
    TouchedSurfaces touched_;
    const int half_;
};

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
