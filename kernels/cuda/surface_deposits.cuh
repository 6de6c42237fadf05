// SPDX-License-Identifier: MIT
// The CUDA kernels for receivers share these parts: occluders, the maps of a block on all surfaces,
// and the light that they receive.
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

}  // namespace

}  // namespace helioray::kernels
