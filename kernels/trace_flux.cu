// SPDX-License-Identifier: MIT
// Work units on a CUDA device: one thread block per unit, one warp per bundle, the same ray code as
// on the CPU.
#include "kernels/trace_flux.h"

#include "kernels/random/sequence.h"
#include "kernels/ray/bundle.h"
#include "kernels/ray/pixel_shares.h"

#include <cuda_runtime.h>

#include <algorithm>
#include <stdexcept>
#include <string>

namespace helioray::kernels {

namespace {

constexpr int kThreadsPerBlock = 256;
constexpr int kBlocksPerMultiprocessor = 4;

const __constant__ SequenceTables kDeviceTables = make_sequence_tables();

__device__ void add(int64_t* sum, int64_t value) {
    // Two's complement: unsigned addition is signed addition.
    if (value != 0)
        atomicAdd(reinterpret_cast<unsigned long long*>(sum),
                  static_cast<unsigned long long>(value));
}

/// What is in the way of a warp's bundle, as trace_rays asks for it: lanes share the search through
/// the candidates, then each tests its own ray. All lanes of a warp call together.
class WarpOcclusion {
  public:
    __device__ WarpOcclusion(const FieldView& field,
                             const HeliostatRecord& h,
                             const RayCone& to_sun,
                             const RayCone& reflected)
        : field_(field), h_(h), to_sun_(to_sun), reflected_(reflected) {}

    __device__ bool shaded(const Vec<float>& s) const {
        return meet_mirrors(h_.first_shader, h_.num_shaders, to_sun_, s, kNoLimit) ||
               meet_obstacles(s, kNoLimit);
    }
    __device__ bool blocked(const Vec<float>& r, float limit, float body_limit) const {
        return meet_mirrors(h_.first_blocker, h_.num_blockers, reflected_, r, limit) ||
               meet_obstacles(r, body_limit);
    }

  private:
    /// One bit per lane whose item (center, radius) the cone may meet.
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
                met |= meets_facet(view, d, limit);
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

    const FieldView& field_;
    const HeliostatRecord& h_;
    RayCone to_sun_;
    RayCone reflected_;
};

/// Sums of a block of rays, in shared memory.
struct SharedSums {
    int64_t energy[kNumEnergySums];
};

/// Adds a thread's value to a shared sum, one atomic per warp.
__device__ void add_by_warp(int64_t* sum, int64_t value) {
    for (int offset = 16; offset > 0; offset /= 2) value += __shfl_down_sync(~0u, value, offset);
    if (threadIdx.x % 32 == 0) add(sum, value);
}

/// All rays of one block of rays of heliostat h; warps take bundles in turn.
__device__ void trace_block(const FieldView& field,
                            const HeliostatRecord& h,
                            int64_t block,
                            int64_t rays_per_block,
                            int64_t* tile,
                            SharedSums& sums) {
    const TargetRecord target = field.targets[h.target];
    const RayContext context = ray_context(h);
    const int64_t num_bundles = (rays_per_block + kRaysPerPoint - 1) / kRaysPerPoint;
    const int lane = static_cast<int>(threadIdx.x) % kRaysPerPoint;
    const bool specularity = field.specularity_error.kind != AngularShape::Kind::none;
    int64_t energy[kNumEnergySums] = {};
    for (int64_t bundle = threadIdx.x / kRaysPerPoint; bundle < num_bundles;
         bundle += kThreadsPerBlock / kRaysPerPoint) {
        BundleSequence sequence(
            kDeviceTables, field.sampling, field.seed, h.random_id, block, num_bundles);
        sequence.seek(static_cast<uint32_t>(bundle));
        float xi, eta;
        sequence.point(xi, eta);
        const MirrorPoint point = mirror_point(field, h, xi, eta);
        const RayNumbers<float> numbers = sequence.ray_numbers<float>(lane, specularity);
        const bool active = bundle * kRaysPerPoint + lane < rays_per_block;
        const WarpOcclusion occlusion(
            field, h, sun_cone(field, context, point), reflected_cone(field, context, point));
        const RayOutcome<float> outcome =
            trace_rays(field, context, target, point, h.ray_power, numbers, active, occlusion);
        for (int i = 0; i < kNumEnergySums; ++i) energy[i] += outcome.quanta[i];
        if (outcome.hit.mask) {
            const PixelShares<float> shares = pixel_shares(outcome.hit,
                                                           outcome.quanta[kDeliveredSum],
                                                           field.filter,
                                                           field.bitmap_width,
                                                           field.bitmap_height);
            for (int i = 0; i < shares.count; ++i) add(tile + shares.pixel[i], shares.quanta[i]);
        }
    }
    for (int i = 0; i < kNumEnergySums; ++i) add_by_warp(sums.energy + i, energy[i]);
}

/// Adds both halves to the global maps and clears them. Called by all threads of a block.
__device__ void flush(int64_t* halves,
                      int64_t num_pixels,
                      double square_scale,
                      int64_t* flux,
                      int64_t* square,
                      int64_t* heliostat_flux) {
    for (int64_t p = threadIdx.x; p < num_pixels; p += blockDim.x) {
        const int64_t a = halves[p];
        const int64_t b = halves[num_pixels + p];
        if ((a | b) == 0) continue;
        add(flux + p, a + b);
        const double difference = static_cast<double>(a - b);
        add(square + p, __double2ll_rn(square_scale * (difference * difference)));
        if (heliostat_flux != nullptr) add(heliostat_flux + p, a + b);
        halves[p] = 0;
        halves[num_pixels + p] = 0;
    }
}

/// scratch: [gridDim.x, 2, num_pixels], zero before and after.
__global__ void __launch_bounds__(kThreadsPerBlock) trace_units(
    FieldView field, const WorkUnit* units, int64_t num_units, SumsView sums, int64_t* scratch) {
    __shared__ SharedSums half[2];
    const int64_t num_pixels = static_cast<int64_t>(field.bitmap_width) * field.bitmap_height;
    int64_t* halves = scratch + blockIdx.x * 2 * num_pixels;
    for (int64_t u = blockIdx.x; u < num_units; u += gridDim.x) {
        const WorkUnit unit = units[u];
        for (int32_t i = unit.first_heliostat; i < unit.first_heliostat + unit.num_heliostats;
             ++i) {
            if (threadIdx.x < 2) half[threadIdx.x] = {};
            __syncthreads();
            for (int k = 0; k < 2; ++k) {
                trace_block(field,
                            field.heliostats[i],
                            2 * static_cast<int64_t>(unit.pair) + k,
                            unit.rays_per_block,
                            halves + k * num_pixels,
                            half[k]);
            }
            __syncthreads();
            if (threadIdx.x == 0) {
                int64_t* energy = sums.energy + static_cast<int64_t>(i) * kNumEnergySums;
                for (int k = 0; k < kNumEnergySums; ++k)
                    add(energy + k, half[0].energy[k] + half[1].energy[k]);
                const double difference = static_cast<double>(half[0].energy[kDeliveredSum] -
                                                              half[1].energy[kDeliveredSum]);
                add(sums.power_square + i,
                    __double2ll_rn(field.square_scale * (difference * difference)));
            }
            const bool last = i + 1 == unit.first_heliostat + unit.num_heliostats;
            if (sums.heliostat_flux != nullptr || last) {
                int64_t* map =
                    sums.heliostat_flux != nullptr ? sums.heliostat_flux + i * num_pixels : nullptr;
                flush(halves,
                      num_pixels,
                      field.square_scale,
                      sums.flux + unit.target * num_pixels,
                      sums.flux_square + unit.target * num_pixels,
                      map);
            }
            __syncthreads();
        }
    }
}

void check(cudaError_t error, const char* what) {
    if (error != cudaSuccess)
        throw std::runtime_error(std::string("CUDA: ") + what + ": " + cudaGetErrorString(error));
}

}  // namespace

bool built_with_cuda() {
    return true;
}

void trace_flux_cuda(const FieldView& field,
                     const WorkUnit* units,
                     int64_t num_units,
                     const SumsView& sums,
                     void* stream) {
    if (num_units == 0) return;
    auto* const cuda_stream = static_cast<cudaStream_t>(stream);
    int device = 0, multiprocessors = 0;
    check(cudaGetDevice(&device), "device");
    check(cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device),
          "device attribute");
    const int64_t blocks = std::min<int64_t>(
        num_units, static_cast<int64_t>(multiprocessors) * kBlocksPerMultiprocessor);
    const size_t bytes = static_cast<size_t>(blocks) * 2 * sizeof(int64_t) *
                         static_cast<size_t>(field.bitmap_width) *
                         static_cast<size_t>(field.bitmap_height);
    int64_t* scratch = nullptr;
    check(cudaMallocAsync(&scratch, bytes, cuda_stream), "memory for bitmap tiles");
    check(cudaMemsetAsync(scratch, 0, bytes, cuda_stream), "clearing bitmap tiles");
    trace_units<<<static_cast<unsigned>(blocks), kThreadsPerBlock, 0, cuda_stream>>>(
        field, units, num_units, sums, scratch);
    const cudaError_t launched = cudaGetLastError();
    check(cudaFreeAsync(scratch, cuda_stream), "memory for bitmap tiles");
    check(launched, "launch of trace_units");
}

}  // namespace helioray::kernels
