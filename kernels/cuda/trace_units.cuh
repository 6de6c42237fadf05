// SPDX-License-Identifier: MIT
// The CUDA kernel: one thread block per work unit, one warp per bundle of rays.
//
// Included by one CUDA source, and by a test that runs it on CPU threads; so it uses CUDA only
// through device.cuh and the keywords of the language.
#pragma once

#include "kernels/cuda/block_tile.h"
#include "kernels/cuda/device.cuh"
#include "kernels/random/sequence.h"
#include "kernels/ray/path.h"
#include "kernels/ray/unit_assertions.h"
#include "kernels/receiver/pixels.h"

namespace helioray::kernels {

/// The occluders of a warp's bundle, as required by trace_rays(): lanes divide the search through
/// the candidates, then each tests its own ray. All lanes of a warp must call the functions
/// together.
class WarpOcclusion {
  public:
    __device__ WarpOcclusion(const FieldView& field,
                             const HeliostatRecord& h,
                             const RayCone& to_sun,
                             const RayCone& reflected)
        : h_(h), reflected_(reflected), field_(field), to_sun_(to_sun) {}

    __device__ bool shaded(const Vec<float>& s) const {
        return meet_mirrors(h_.first_shader, h_.num_shaders, to_sun_, s, kNoLimit) ||
               meet_obstacles(s, kNoLimit);
    }
    __device__ bool blocked(const Vec<float>& r, float limit, float body_limit) const {
        return meet_mirrors(h_.first_blocker, h_.num_blockers, reflected_, r, limit) ||
               meet_obstacles(r, body_limit);
    }

  private:
    /// Returns one bit per lane, set if the cone may hit the lane's item (center, radius).
    template <typename Item>
    __device__ static unsigned near(const RayCone& cone, const Item* item) {
        return __ballot_sync(~0u, item != nullptr && may_meet(cone, item->center, item->radius));
    }

    __device__ bool meet_mirrors(
        int64_t first, int32_t count, const RayCone& cone, const Vec<float>& d, float limit) const {
        const int lane = static_cast<int>(threadIdx.x) % kRaysPerPoint;
        bool met = false;
        for (int32_t base = 0; base < count; base += kRaysPerPoint) {
            const Occluder* mine = base + lane < count
                                       ? field_.occluders + field_.candidates[first + base + lane]
                                       : nullptr;
            for (unsigned bits = near(cone, mine); bits != 0; bits &= bits - 1) {
                const Occluder& occluder =
                    field_.occluders[field_.candidates[first + base + __ffs(bits) - 1]];
                met |= meet_facets(occluder, cone, d, limit);
            }
        }
        return met;
    }

    __device__ bool meet_facets(const Occluder& occluder,
                                const RayCone& cone,
                                const Vec<float>& d,
                                float limit) const {
        const int lane = static_cast<int>(threadIdx.x) % kRaysPerPoint;
        const OccluderFacet* facets = field_.occluder_facets + occluder.first_facet;
        bool met = false;
        for (int32_t base = 0; base < occluder.num_facets; base += kRaysPerPoint) {
            const OccluderFacet* mine =
                base + lane < occluder.num_facets ? facets + base + lane : nullptr;
            for (unsigned bits = near(cone, mine); bits != 0; bits &= bits - 1) {
                const FacetInView view = view_facet(facets[base + __ffs(bits) - 1], cone.origin);
                if (field_.own_facets != 0 && is_own_facet(view)) continue;
                met |= meets_facet(view, d, limit, field_.occluder_outlines);
            }
        }
        return met;
    }

    __device__ bool meet_obstacles(const Vec<float>& d, float limit) const {
        const ObstacleRecord* obstacles =
            field_.obstacles + static_cast<int64_t>(h_.target) * field_.num_obstacles;
        bool met = false;
        for (int32_t i = 0; i < field_.num_obstacles; ++i)
            met |= meets_obstacle(obstacles[i], to_sun_.origin, d, limit);
        return met;
    }

    const HeliostatRecord& h_;
    RayCone reflected_;

  protected:
    const FieldView& field_;
    RayCone to_sun_;
};

/// Occlusion for fields without shading and blocking.
struct NothingInTheWay {
    __device__ NothingInTheWay(const FieldView&,
                               const HeliostatRecord&,
                               const RayCone&,
                               const RayCone&) {}
    __device__ bool shaded(const Vec<float>&) const { return false; }
    __device__ bool blocked(const Vec<float>&, float, float) const { return false; }
};

namespace {

constexpr int kThreadsPerBlock = 256;
constexpr int kWarpsPerBlock = kThreadsPerBlock / kRaysPerPoint;
// Two blocks leave 128 registers per thread, which is enough for a ray without spills.
constexpr int kBlocksPerMultiprocessor = 2;
// Number of bundles of each warp that are traced to choose the window.
constexpr int kPilotBundles = 4;
static_assert(kThreadsPerBlock * kPilotBundles <= 1 << 12, "what ImageMoments can hold");

const __constant__ SequenceTables kDeviceTables = make_sequence_tables();

/// Copies the tables of Sobol's sequence into the memory of the block. Constant memory serves one
/// address at a time, and the lanes of a warp read 32 of them for every number: on an H200 forward
/// passes took twice as long.
__device__ inline void load_tables(SequenceTables& tables) {
    for (int i = static_cast<int>(threadIdx.x); i < kDimensions * kSobolBits; i += kThreadsPerBlock)
        (&tables.step[0][0])[i] = (&kDeviceTables.step[0][0])[i];
    for (int i = static_cast<int>(threadIdx.x); i < kRayDimensions * kRaysPerPoint;
         i += kThreadsPerBlock)
        (&tables.lane[0][0])[i] = (&kDeviceTables.lane[0][0])[i];
}

/// A mirror point that is copied in four accesses of 16 bytes.
struct alignas(16) StagedPoint {
    MirrorPoint point;
};
static_assert(sizeof(StagedPoint) == 64, "rows of shared memory");

struct BlockMemory {
    StagedPoint points[kWarpsPerBlock][kRaysPerPoint];
    SequenceTables tables;
    int64_t energy[2][kNumEnergySums];
    ImageMoments image;
    PixelRange range;
    PixelWindow window;
};

enum class Pass { pilot, first_half, second_half };

/// Computes the mirror point of a bundle. A separate function keeps the registers and the local
/// memory of B-splines out of the loop over rays.
__device__ __noinline__ void stage_point(const FieldView& field,
                                         const SequenceTables& tables,
                                         const HeliostatRecord& h,
                                         int64_t block,
                                         int64_t num_bundles,
                                         int64_t bundle,
                                         StagedPoint* staged) {
    BundleSequence sequence(tables, field.sampling, field.seed, h.random_id, block, num_bundles);
    sequence.seek(static_cast<uint32_t>(bundle));
    float xi, eta;
    sequence.point(xi, eta);
    staged->point = mirror_point(field, h, xi, eta);
}

/// Computes the points of bundles first, ..., first + count - 1 of a block of rays, at most
/// kRaysPerPoint, in the lanes of a warp. Returns the sequence at the first one.
__device__ inline BundleSequence stage_batch(const FieldView& field,
                                             const HeliostatRecord& h,
                                             int64_t block,
                                             int64_t num_bundles,
                                             int64_t first,
                                             int count,
                                             BlockMemory& memory) {
    const int lane = static_cast<int>(threadIdx.x) % kRaysPerPoint;
    const int warp = static_cast<int>(threadIdx.x) / kRaysPerPoint;
    __syncwarp();
    if (lane < count)
        stage_point(
            field, memory.tables, h, block, num_bundles, first + lane, &memory.points[warp][lane]);
    __syncwarp();
    BundleSequence sequence(
        memory.tables, field.sampling, field.seed, h.random_id, block, num_bundles);
    sequence.seek(static_cast<uint32_t>(first));
    return sequence;
}

/// Traces the rays of the bundle at which a sequence is, one in each lane.
template <typename Occlusion, typename Receiver>
__device__ auto trace_bundle(const FieldView& field,
                             const HeliostatRecord& h,
                             const RayContext& context,
                             Receiver& receiver,
                             const MirrorPoint& point,
                             const BundleSequence& sequence,
                             bool active) {
    const bool specularity = field.specularity_error.kind != AngularShape::Kind::none;
    const int lane = static_cast<int>(threadIdx.x) % kRaysPerPoint;
    const RayNumbers<float> numbers = sequence.ray_numbers<float>(lane, specularity);
    const Occlusion occlusion(
        field, h, sun_cone(field, context, point), reflected_cone(field, context, point));
    look_from(field, context, point, receiver);
    return trace_rays(field, context, receiver, point, h.ray_power, numbers, active, occlusion);
}

/// The light of a block of rays on a single target, in a bitmap with a window.
class TargetImage {
  public:
    /// A pilot pass chooses the window.
    static constexpr bool kHasWindow = true;

    __device__ TargetImage(const FieldView& field,
                           const HeliostatRecord& h,
                           const BlockTile& tile,
                           const BlockMemory& memory,
                           int half)
        : target_(field.targets[h.target]), tile_(tile), window_(memory.window), half_(half) {}

    const __device__ TargetRecord& receiver() const { return target_; }
    __device__ void add(const FieldView& field, const RayOutcome<float>& outcome) {
        if (!outcome.path.hit.mask) return;
        const PixelShares<float> shares = pixel_shares(outcome.path.hit,
                                                       outcome.quanta[kDeliveredSum],
                                                       field.filter,
                                                       field.bitmap_width,
                                                       field.bitmap_height);
#pragma unroll
        for (int k = 0; k < 4; ++k) {
            if (k < shares.count)
                add_to_tile<CudaMachine>(tile_, window_, half_, shares.pixel[k], shares.quanta[k]);
        }
    }
    /// Ends a batch of rays of a warp, and a block.
    __device__ void end_batch() {}
    __device__ void end_block() {}

  private:
    const TargetRecord& target_;
    const BlockTile& tile_;
    const PixelWindow window_;
    const int half_;
};

/// Traces the rays of one block of rays of heliostat h. Warps process batches of up to 32 bundles,
/// whose points the lanes compute side by side. The pilot pass traces a few bundles of each warp
/// and only adds to the image's moments. Image, made from a Tile: TargetImage or SurfaceImage.
template <typename Occlusion, typename Image, typename Tile>
__device__ void trace_block(const FieldView& field,
                            const HeliostatRecord& h,
                            Pass pass,
                            int64_t block,
                            int64_t rays_per_block,
                            const Tile& tile,
                            BlockMemory& memory) {
    const int lane = static_cast<int>(threadIdx.x) % kRaysPerPoint;
    const int warp = static_cast<int>(threadIdx.x) / kRaysPerPoint;
    const int half = pass == Pass::second_half ? 1 : 0;
    Image image(field, h, tile, memory, half);
    const RayContext context = ray_context(h);
    const int64_t num_bundles = (rays_per_block + kRaysPerPoint - 1) / kRaysPerPoint;
    // Batches have equal sizes, as large as possible.
    const int64_t rounds = (num_bundles + kThreadsPerBlock - 1) / kThreadsPerBlock * kWarpsPerBlock;
    const int64_t batch = (num_bundles + rounds - 1) / rounds;

    int64_t energy_of_lane = 0;
    for (int64_t first = warp * batch; first < num_bundles; first += kWarpsPerBlock * batch) {
        const int count =
            static_cast<int>(batch < num_bundles - first ? batch : num_bundles - first);
        BundleSequence sequence = stage_batch(field, h, block, num_bundles, first, count, memory);
        int32_t energy[kNumEnergySums] = {};
        const int traced = pass == Pass::pilot ? min_(count, kPilotBundles) : count;
#pragma unroll 1
        for (int i = 0; i < traced; ++i) {
            const MirrorPoint point = memory.points[warp][i].point;
            const bool active = (first + i) * kRaysPerPoint + lane < rays_per_block;
            const auto outcome = trace_bundle<Occlusion>(
                field, h, context, image.receiver(), point, sequence, active);
            sequence.advance();
            if (Image::kHasWindow && pass == Pass::pilot) {
                const ImageMoments moments =
                    outcome.path.hit.mask && active
                        ? hit_moments(outcome.path.hit.across, outcome.path.hit.up)
                        : ImageMoments{};
                for (int k = 0; k < ImageMoments::kNumSums; ++k) {
                    const int sum = __reduce_add_sync(~0u, moments.sum[k]);
                    if (lane == 0) atomicAdd(memory.image.sum + k, sum);
                }
                continue;
            }
            // A batch's rays carry less than 2^28 quanta in each lane.
            for (int k = 0; k < kNumEnergySums; ++k) energy[k] += outcome.quanta[k];
            image.add(field, outcome);
        }
        if (pass == Pass::pilot) break;
        for (int k = 0; k < kNumEnergySums; ++k) {
            const int64_t sum = warp_sum(energy[k]);
            if (lane == k) energy_of_lane += sum;
        }
        image.end_batch();
    }
    if (pass != Pass::pilot && lane < kNumEnergySums)
        CudaMachine::add(&memory.energy[half][lane], energy_of_lane);
    if (pass != Pass::pilot) image.end_block();
}

/// Adds the energy of a heliostat, which the block has summed up, to the sums of the field.
__device__ inline void add_energy(const FieldView& field,
                                  int32_t heliostat,
                                  const BlockMemory& memory,
                                  const SumsView& sums) {
    const int thread = static_cast<int>(threadIdx.x);
    const int64_t(&energy)[2][kNumEnergySums] = memory.energy;
    if (thread < kNumEnergySums)
        CudaMachine::add(sums.energy + static_cast<int64_t>(heliostat) * kNumEnergySums + thread,
                         energy[0][thread] + energy[1][thread]);
    if (thread != 0) return;
    const auto difference =
        static_cast<double>(energy[0][kDeliveredSum] - energy[1][kDeliveredSum]);
    CudaMachine::add(sums.power_square + heliostat,
                     CudaMachine::round(field.square_scale * (difference * difference)));
}

/// Traces both halves of one heliostat into the tile and its sums. Called by all threads of a
/// block. capacity: of a window, if a new one is chosen.
template <typename Occlusion, typename Image, typename Tile>
__device__ void trace_heliostat(const FieldView& field,
                                const WorkUnit& unit,
                                int32_t heliostat,
                                bool new_window,
                                int32_t capacity,
                                const SumsView& sums,
                                const Tile& tile,
                                BlockMemory& memory) {
    const int thread = static_cast<int>(threadIdx.x);
    if (thread < 2 * kNumEnergySums) (&memory.energy[0][0])[thread] = 0;
    if (thread < ImageMoments::kNumSums) memory.image.sum[thread] = 0;
    __syncthreads();
    // A single loop ensures that the code for rays exists only once.
#pragma unroll 1
    for (int pass = new_window ? 0 : 1; pass < 3; ++pass) {
        trace_block<Occlusion, Image>(field,
                                      field.heliostats[heliostat],
                                      static_cast<Pass>(pass),
                                      2 * static_cast<int64_t>(unit.pair) + max_(pass - 1, 0),
                                      unit.rays_per_block,
                                      tile,
                                      memory);
        if (!Image::kHasWindow || pass != 0) continue;
        __syncthreads();
        if (thread == 0)
            memory.window =
                choose_window(memory.image, field.bitmap_width, field.bitmap_height, capacity);
        __syncthreads();
    }
    __syncthreads();
    add_energy(field, heliostat, memory, sums);
}

/// Kernel for work units with single targets; leaves out others. spilled: [gridDim.x, 2,
/// num_pixels], zero before and after. Dynamic shared memory: 2 * capacity counters.
template <typename Occlusion>
__global__ void __launch_bounds__(kThreadsPerBlock, kBlocksPerMultiprocessor)
    trace_units(const __grid_constant__ FieldView field,
                const WorkUnit* units,
                int64_t num_units,
                const __grid_constant__ SumsView sums,
                int64_t* spilled,
                int32_t capacity) {
    uint32_t* const counters = dynamic_shared_memory();
    __shared__ BlockMemory memory;
    for (int32_t i = static_cast<int32_t>(threadIdx.x); i < 2 * capacity; i += kThreadsPerBlock)
        counters[i] = 0;
    if (threadIdx.x == 0) memory.range = PixelRange::none();
    load_tables(memory.tables);
    const int64_t num_pixels = static_cast<int64_t>(field.bitmap_width) * field.bitmap_height;
    BlockTile tile{
        counters, spilled + blockIdx.x * 2 * num_pixels, &memory.range, num_pixels, nullptr};
    for (int64_t u = blockIdx.x; u < num_units; u += gridDim.x) {
        const WorkUnit unit = units[u];
        if (field.targets[unit.target].in_receiver != 0) continue;
        if (threadIdx.x == 0) assert_unit(field, unit);
        const int32_t end = unit.first_heliostat + unit.num_heliostats;
        for (int32_t i = unit.first_heliostat; i < end; ++i) {
            if (sums.heliostat_flux != nullptr)
                tile.heliostat_flux = sums.heliostat_flux + i * num_pixels;
            const bool new_window = i == unit.first_heliostat;
            trace_heliostat<Occlusion, TargetImage>(
                field, unit, i, new_window, capacity, sums, tile, memory);
            if (i + 1 == end) {
                const TileSums to{field.square_scale,
                                  sums.flux + unit.target * num_pixels,
                                  sums.flux_square + unit.target * num_pixels,
                                  sums.flux_difference == nullptr
                                      ? nullptr
                                      : sums.flux_difference + unit.target * num_pixels};
                flush_tile<CudaMachine>(tile, memory.window, to, CudaBlock());
            }
            __syncthreads();
        }
    }
}

}  // namespace

}  // namespace helioray::kernels
