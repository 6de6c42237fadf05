// SPDX-License-Identifier: MIT
// The CUDA kernel for light on receivers of several surfaces that reflect a part of it: one thread
// block per work unit.
//
// Warps trace bundles side by side and put the rays that carry reflected light on into the memory
// of the block's batch. The block then follows these rays in the order of their bundles, because
// the rays that carry light on after the next reflection are chosen among their neighbours.
#pragma once

#include "kernels/cuda/surface_deposits.cuh"
#include "kernels/ray/reflected_rows.h"

namespace helioray::kernels {

namespace {

constexpr int kReflectedCapacity = kManyReflected + kRaysPerPoint;

/// Rays of the bundles of a batch that carry reflected light on, in the memory of the device.
struct BatchCarriers {
    ReflectedRows<kRaysPerPoint> bundles[kThreadsPerBlock];
};

/// Reflected light of a block, in dynamic shared memory.
struct ReflectionMemory {
    ReflectedRows<kReflectedCapacity> rays[2];  ///< rays before and after a reflection
    int32_t sizes[2];                           ///< number of them
    int32_t counts[kThreadsPerBlock];           ///< number of carriers of each bundle of the batch
    uint32_t words[kReflectedCapacity / kRaysPerPoint];  ///< random bits of each group of rays
    int64_t lost[kNumReflectedSums];                     ///< sums of a heliostat
};
static_assert(kThreadsPerBlock == kManyReflected, "a thread for each bundle of a batch");

/// Copies the rays of a group, one in each lane, that carry the light of all on to rows `size` and
/// after; see ReflectedRays::add_group(). Returns the new number of rows.
template <int kCapacity>
__device__ int32_t add_carriers(const ReflectedLight<float>& light,
                                uint32_t random,
                                int32_t rays_per_carrier,
                                ReflectedRows<kCapacity>& rows,
                                int32_t size) {
    const int lane = static_cast<int>(threadIdx.x) % kRaysPerPoint;
    const bool is_lit = light.quanta > 0;
    const unsigned lit = __ballot_sync(~0u, is_lit);
    if (lit == 0) return size;
    if (rays_per_carrier == 1) {
        if (is_lit) rows.write(size + __popc(lit & ((1u << lane) - 1u)), light);
        return size + __popc(lit);
    }
    uint32_t end = static_cast<uint32_t>(light.quanta);
    for (int step = 1; step < kRaysPerPoint; step *= 2) {
        const uint32_t before = __shfl_up_sync(~0u, end, step);
        if (lane >= step) end += before;
    }
    const uint32_t total = __shfl_sync(~0u, end, kRaysPerPoint - 1);
    for (CarrierParts parts(total, __popc(lit), rays_per_carrier); parts.left > 0;
         parts.advance()) {
        const uint32_t part = parts.size();
        const int ray = __popc(__ballot_sync(~0u, end <= parts.position(random)));
        if (part == 0) continue;
        if (lane == ray) {
            ReflectedLight<float> carrier = light;
            carrier.quanta = static_cast<int32_t>(part);
            rows.write(size, carrier);
        }
        ++size;
    }
    return size;
}

/// Light of a warp that surfaces of receivers absorb and reflect. has_meshes: some may be meshes.
template <bool has_meshes>
class ReflectedImage {
  public:
    __device__ ReflectedImage(const FieldView& field,
                              const ReceiverTile& tile,
                              ReflectionMemory& memory,
                              int64_t& delivered,
                              int half)
        : field_(field),
          surfaces_(field, field.surface_tables->groups(), *field.reflecting_tables),
          deposits_(field, tile, half),
          memory_(memory),
          delivered_(delivered) {}

    /// Returns the pixel of a hit in the map of its surface where surfaces may be meshes; 0 where
    /// nothing needs it.
    __device__ int32_t pixel(const SurfaceHit<float>& hit) const {
        if constexpr (!has_meshes) return 0;
        return needed_pixel(field_, hit);
    }

    /// Divides light that arrives at surfaces after a number of reflections, adds it to the maps
    /// and the sums, and returns what goes on.
    __device__ int32_t divide(const SurfaceHit<float>& hit,
                              int32_t pixel,
                              const Vec<float>& point,
                              const Vec<float>& direction,
                              int32_t arriving,
                              float reflections) {
        const float cosine = incidence(field_, surfaces_, hit.surface, pixel, point, direction);
        const DividedLight<float> light =
            divide_light(field_, surfaces_, hit, cosine, arriving, reflections);
        add_sum(&delivered_, light.counted);
        add_sum(memory_.lost + kBounceLimitSum, light.left);
        if (surfaces_.has_mirrors()) add_sum(memory_.lost + kMirrorLossSum, light.lost);
        if (hit.front) {
            deposits_.add(hit, hit.surface, light.on_map);
            deposits_.add(hit, field_.num_surfaces + hit.surface, light.incident);
        }
        return light.goes_on;
    }

    /// Reflects the light of every lane and finds the surfaces that it meets; returns random bits.
    __device__ uint32_t reflect_once(uint32_t random_id,
                                     uint32_t bounce,
                                     ReflectedLight<float>& light) {
        const PhiloxWords<float> random =
            stream<float>(field_.seed, random_id, reflection_tag(bounce), light.low, light.high);
        reflect(surfaces_, random, light);
        SurfaceHit<float> hit;
        surfaces_.meet(light.point, light.direction, light.surface, light.pixel, hit);
        keep_where(0 < light.quanta, hit);
        add_sum(memory_.lost + kEscapedSum, hit.meets ? 0 : light.quanta);
        add_sum(memory_.lost + kReflectedShieldSum, hit.meets && !hit.mask ? light.quanta : 0);
        if (hit.meets) light.point = add_scaled(light.point, hit.distance, light.direction);
        light.surface = hit.surface;
        if constexpr (has_meshes) light.pixel = pixel(hit);
        light.quanta = divide(hit,
                              light.pixel,
                              light.point,
                              light.direction,
                              light.quanta,
                              static_cast<float>(bounce + 1));
        return random.word[3];
    }

    __device__ void end_block() const { deposits_.end_block(); }

  private:
    /// Adds the quanta of all lanes to a sum that the block shares.
    __device__ static void add_sum(int64_t* sum, int32_t quanta) {
        if (__ballot_sync(~0u, quanta != 0) == 0) return;
        const int64_t total = warp_sum(quanta);
        if (threadIdx.x % kRaysPerPoint == 0) CudaMachine::add(sum, total);
    }

    const FieldView& field_;
    const BasicReflectingSurfaces<has_meshes> surfaces_;
    SurfaceDeposits deposits_;
    ReflectionMemory& memory_;
    int64_t& delivered_;
};

/// Follows the rays of the block until their light is absorbed or lost. Called by all threads.
template <bool has_meshes>
__device__ inline void follow_rays(const FieldView& field,
                                   uint32_t random_id,
                                   ReflectionMemory& memory,
                                   ReflectedImage<has_meshes>& image) {
    const int lane = static_cast<int>(threadIdx.x) % kRaysPerPoint;
    const int warp = static_cast<int>(threadIdx.x) / kRaysPerPoint;
    for (uint32_t bounce = 0;; ++bounce) {
        __syncthreads();
        auto& rays = memory.rays[bounce % 2];
        const int32_t count = memory.sizes[bounce % 2];
        if (count == 0) break;
        const auto read = [&](int first) {
            ReflectedLight<float> light{};
            if (first + lane < count) rays.read(first + lane, light);
            return light;
        };
#pragma unroll 1
        for (int first = warp * kRaysPerPoint; first < count; first += kThreadsPerBlock) {
            ReflectedLight<float> light = read(first);
            const uint32_t word = image.reflect_once(random_id, bounce, light);
            if (lane == 0) memory.words[first / kRaysPerPoint] = word;
            if (first + lane < count) rays.write(first + lane, light);
        }
        __syncthreads();
        if (warp != 0) continue;
        int32_t size = 0;
#pragma unroll 1
        for (int first = 0; first < count; first += kRaysPerPoint) {
            size = add_carriers(read(first),
                                memory.words[first / kRaysPerPoint],
                                field.rays_per_carrier,
                                memory.rays[(bounce + 1) % 2],
                                size);
        }
        if (lane != 0) continue;
        memory.sizes[bounce % 2] = 0;
        memory.sizes[(bounce + 1) % 2] = size;
    }
    // The next rays begin in the first of both, of which both are empty now.
    __syncthreads();
}

/// Adds the carriers of a batch of bundles to the rays of the block, in the order of the bundles,
/// and follows these as soon as there are many, or the block of rays ends. Called by all threads.
template <bool has_meshes>
__device__ inline void collect_carriers(const FieldView& field,
                                        uint32_t random_id,
                                        int32_t num_bundles,
                                        bool ends_block,
                                        const BatchCarriers& carriers,
                                        ReflectionMemory& memory,
                                        ReflectedImage<has_meshes>& image) {
    const int thread = static_cast<int>(threadIdx.x);
    const int lane = thread % kRaysPerPoint;
    int32_t begin = 0;
    while (begin < num_bundles) {
        // Bundles are added while there are not many rays.
        int32_t size = memory.sizes[0];
        int32_t end = begin;
        for (; end < num_bundles && size < kManyReflected; ++end) {
            const int32_t count = memory.counts[end];
            if (end % kWarpsPerBlock == thread / kRaysPerPoint && lane < count)
                memory.rays[0].copy(
                    carriers.bundles[end], lane, size + lane, carriers.bundles[end].quanta[lane]);
            size += count;
        }
        begin = end;
        __syncthreads();
        if (thread == 0) memory.sizes[0] = size;
        __syncthreads();
        if (size >= kManyReflected || (ends_block && begin == num_bundles))
            follow_rays(field, random_id, memory, image);
    }
}

/// Traces the rays of one block of rays of heliostat h, and the light that surfaces reflect.
template <typename Occlusion, bool has_meshes>
__device__ void trace_reflecting_block(const FieldView& field,
                                       const HeliostatRecord& h,
                                       int half,
                                       int64_t block,
                                       int64_t rays_per_block,
                                       const ReceiverTile& tile,
                                       BatchCarriers& carriers,
                                       BlockMemory& memory,
                                       ReflectionMemory& reflected) {
    const int lane = static_cast<int>(threadIdx.x) % kRaysPerPoint;
    const int warp = static_cast<int>(threadIdx.x) / kRaysPerPoint;
    const RayContext context = ray_context(h);
    const int64_t num_bundles = (rays_per_block + kRaysPerPoint - 1) / kRaysPerPoint;
    WarpSurfaces<has_meshes> surfaces(field, tile.memory->views[warp]);
    ReflectedImage<has_meshes> image(
        field, tile, reflected, memory.energy[half][kDeliveredSum], half);
    // The order of bundles is that of threads, so that all batches but the last one are full.
    for (int64_t base = 0; base < num_bundles; base += kThreadsPerBlock) {
        const int64_t first = base + warp * kRaysPerPoint;
        const int64_t left = num_bundles - base;
        const auto in_batch =
            static_cast<int32_t>(left < kThreadsPerBlock ? left : kThreadsPerBlock);
        const int32_t count = max_(0, min_(in_batch - warp * kRaysPerPoint, kRaysPerPoint));
        BundleSequence sequence = stage_batch(field, h, block, num_bundles, first, count, memory);
        int32_t energy[kNumEnergySums] = {};
        int32_t shielded = 0;
#pragma unroll 1
        for (int i = 0; i < count; ++i) {
            const MirrorPoint point = memory.points[warp][i].point;
            const bool active = (first + i) * kRaysPerPoint + lane < rays_per_block;
            const auto outcome =
                trace_bundle<Occlusion>(field, h, context, surfaces, point, sequence, active);
            const uint64_t bundle = sequence.bundle();
            sequence.advance();
            const SurfaceHit<float>& hit = outcome.path.hit;
            // The image adds what is delivered.
            for (int k = 0; k < kNumEnergySums; ++k)
                energy[k] += k == kDeliveredSum ? 0 : outcome.quanta[k];
            if (hit.meets && !hit.mask) shielded += outcome.arriving;
            ReflectedLight<float> light;
            light.direction = outcome.path.reflected;
            light.point =
                add_scaled(point.position, hit.meets ? hit.distance : 0.0f, light.direction);
            light.surface = hit.surface;
            light.pixel = image.pixel(hit);
            light.low = static_cast<uint32_t>(bundle);
            const uint32_t high = static_cast<uint32_t>(bundle >> 32) << kLaneBits;
            light.high = high + static_cast<uint32_t>(lane);
            light.quanta = image.divide(
                hit, light.pixel, light.point, light.direction, outcome.arriving, 0.0f);
            const PhiloxWords<float> random =
                stream<float>(field.seed, h.random_id, StreamTag::carrier, light.low, high);
            const int of_batch = warp * kRaysPerPoint + i;
            const int32_t size = add_carriers(
                light, random.word[0], field.rays_per_carrier, carriers.bundles[of_batch], 0);
            if (lane == 0) reflected.counts[of_batch] = size;
        }
        for (int k = 0; k < kNumEnergySums; ++k) {
            const int64_t sum = warp_sum(energy[k]);
            if (lane == k) CudaMachine::add(&memory.energy[half][k], sum);
        }
        const int64_t sum = warp_sum(shielded);
        if (lane == 0) CudaMachine::add(&tile.memory->shielded, sum);
        __syncthreads();
        collect_carriers(
            field, h.random_id, in_batch, left <= kThreadsPerBlock, carriers, reflected, image);
        __syncthreads();
    }
    image.end_block();
}

/// Adds the losses of a heliostat after reflections to the sums of the field, and clears them.
__device__ inline void add_losses(int32_t heliostat,
                                  const SumsView& sums,
                                  ReflectionMemory& reflected) {
    const int thread = static_cast<int>(threadIdx.x);
    if (thread >= kNumReflectedSums) return;
    if (sums.reflected != nullptr)
        CudaMachine::add(
            sums.reflected + static_cast<int64_t>(heliostat) * kNumReflectedSums + thread,
            reflected.lost[thread]);
    reflected.lost[thread] = 0;
}

/// Kernel for work units with receivers whose surfaces reflect; leaves out others. spilled:
/// [gridDim.x, 2, 2 num_surfaces, num_pixels], zero before and after. carriers: [gridDim.x].
/// Dynamic shared memory: a ReflectionMemory. has_meshes: surfaces may be meshes, whose search
/// needs registers and local memory.
template <typename Occlusion, bool has_meshes>
__global__ void __launch_bounds__(kThreadsPerBlock, kBlocksPerMultiprocessor)
    trace_reflecting_units(const __grid_constant__ FieldView field,
                           const WorkUnit* units,
                           int64_t num_units,
                           const __grid_constant__ SumsView sums,
                           int64_t* spilled,
                           BatchCarriers* carriers) {
    __shared__ BlockMemory memory;
    __shared__ SurfaceMemory of_surfaces;
    auto& reflected = *reinterpret_cast<ReflectionMemory*>(dynamic_shared_memory());
    const int thread = static_cast<int>(threadIdx.x);
    const int32_t num_maps = 2 * field.num_surfaces;
    if (thread == 0) reflected.sizes[0] = reflected.sizes[1] = 0;
    if (thread < kNumReflectedSums) reflected.lost[thread] = 0;
    load_tables(memory.tables);
    ReceiverTile tile = make_tile(field, num_maps, spilled, of_surfaces);
    for (int64_t u = blockIdx.x; u < num_units; u += gridDim.x) {
        const WorkUnit unit = units[u];
        if (field.targets[unit.target].in_receiver == 0) continue;
        if (thread == 0) assert_unit(field, unit);
        tile.own_map = unit.target;
        const int32_t end = unit.first_heliostat + unit.num_heliostats;
        for (int32_t i = unit.first_heliostat; i < end; ++i) {
            if (sums.heliostat_flux != nullptr)
                tile.heliostat_flux = sums.heliostat_flux + i * tile.num_pixels;
            if (thread < 2 * kNumEnergySums) (&memory.energy[0][0])[thread] = 0;
            __syncthreads();
#pragma unroll 1
            for (int half = 0; half < 2; ++half) {
                trace_reflecting_block<Occlusion, has_meshes>(
                    field,
                    field.heliostats[i],
                    half,
                    2 * static_cast<int64_t>(unit.pair) + half,
                    unit.rays_per_block,
                    tile,
                    carriers[blockIdx.x],
                    memory,
                    reflected);
            }
            __syncthreads();
            add_energy(field, i, memory, sums);
            add_losses(i, sums, reflected);
            add_shielded(i, sums, of_surfaces);
            __syncthreads();
        }
        flush_surfaces<CudaMachine>(tile, field, sums, CudaBlock());
    }
}

/// Returns the kernel with the features of a field.
inline auto reflecting_kernel(const FieldView& field) {
    const bool occlusion = field.shading != 0 || field.blocking != 0;
    if (field.meshes != nullptr)
        return occlusion ? trace_reflecting_units<WarpReceiverOcclusion, true>
                         : trace_reflecting_units<NothingInTheWay, true>;
    return occlusion ? trace_reflecting_units<WarpReceiverOcclusion, false>
                     : trace_reflecting_units<NothingInTheWay, false>;
}

}  // namespace

}  // namespace helioray::kernels
