// SPDX-License-Identifier: MIT
// The backward CUDA kernel for single targets: one thread block per work unit, one warp per bundle
// of rays. Receivers of several surfaces have a kernel of their own.
#pragma once

#include "kernels/cuda/trace_units.cuh"
#include "kernels/ray/path_adjoint.h"

namespace helioray::kernels {

namespace {

/// Sums over a bundle's rays, and the random numbers of its mirror point.
struct BundleTotals {
    float values[PathAdjoint<float>::kSize];
    float xi, eta;
};

struct BackwardMemory {
    StagedPoint points[kWarpsPerBlock][kRaysPerPoint];
    BundleTotals totals[kWarpsPerBlock][kRaysPerPoint];
    SequenceTables tables;
};

/// Adds derivatives of bundles as integers: those of the heliostat in memory of the thread, those
/// of control points in global memory.
struct LaneSink {
    const GradientScale& scale;
    int64_t* heliostat;  ///< [kNumHeliostatGradients]
    int64_t* floats;

    __device__ void add(int index, float derivative) const {
        heliostat[index] += to_integer(derivative, scale.heliostat[index]);
    }
    __device__ void add_float(int64_t index, float derivative) const {
        CudaMachine::add(floats + index, to_integer(derivative, scale.floats));
    }

  private:
    __device__ static int64_t to_integer(float derivative, double factor) {
        // The limit is far beyond the bounds for which the scale is chosen.
        constexpr double kLimit = 9.0e18;
        return CudaMachine::round(
            max_(min_(static_cast<double>(derivative) * factor, kLimit), -kLimit));
    }
};

/// Computes the numbers and the mirror point of a bundle, with one lane.
__device__ __noinline__ void stage_bundle(const FieldView& field,
                                          const SequenceTables& tables,
                                          const HeliostatRecord& h,
                                          int64_t block,
                                          int64_t num_bundles,
                                          int64_t bundle,
                                          StagedPoint* staged,
                                          BundleTotals* totals) {
    BundleSequence sequence(tables, field.sampling, field.seed, h.random_id, block, num_bundles);
    sequence.seek(static_cast<uint32_t>(bundle));
    sequence.point(totals->xi, totals->eta);
    staged->point = mirror_point(field, h, totals->xi, totals->eta);
}

/// Converts a bundle's sums to derivatives of the heliostat and its facets, with one lane.
__device__ __noinline__ void add_staged_bundle(const FieldView& field,
                                               const HeliostatRecord& h,
                                               const BundleTotals& totals,
                                               const LaneSink& sink) {
    FacetPoint<float> local;
    mirror_point(field, h, totals.xi, totals.eta, local);
    add_bundle(h, local, PathAdjoint<float>::from(totals.values), sink);
}

/// Computes derivatives of one block of rays of heliostat h; warps process batches of up to 32
/// bundles. light_of(bundle): returns the light of the lane's ray of a bundle, see path_adjoint().
template <typename Occlusion, typename Receiver, typename LightOf>
__device__ void backward_block(const FieldView& field,
                               const HeliostatRecord& h,
                               int64_t block,
                               int64_t rays_per_block,
                               Receiver& receiver,
                               const LightOf& light_of,
                               const LaneSink& sink,
                               BackwardMemory& memory) {
    const int lane = static_cast<int>(threadIdx.x) % kRaysPerPoint;
    const int warp = static_cast<int>(threadIdx.x) / kRaysPerPoint;
    const RayContext context = ray_context(h);
    const float ray_power = h.ray_power;
    const bool specularity = field.specularity_error.kind != AngularShape::Kind::none;
    const int64_t num_bundles = (rays_per_block + kRaysPerPoint - 1) / kRaysPerPoint;
    for (int64_t first = warp * kRaysPerPoint; first < num_bundles; first += kThreadsPerBlock) {
        const int64_t left = num_bundles - first;
        const int count = static_cast<int>(left < kRaysPerPoint ? left : kRaysPerPoint);
        StagedPoint* points = memory.points[warp];
        BundleTotals* totals = memory.totals[warp];
        __syncwarp();
        if (lane < count)
            stage_bundle(field,
                         memory.tables,
                         h,
                         block,
                         num_bundles,
                         first + lane,
                         points + lane,
                         totals + lane);
        __syncwarp();
        BundleSequence sequence(
            memory.tables, field.sampling, field.seed, h.random_id, block, num_bundles);
        sequence.seek(static_cast<uint32_t>(first));
#pragma unroll 1
        for (int i = 0; i < count; ++i) {
            const MirrorPoint point = points[i].point;
            const RayNumbers<float> numbers = sequence.ray_numbers<float>(lane, specularity);
            const auto light = light_of(sequence.bundle());
            sequence.advance();
            const bool active = (first + i) * kRaysPerPoint + lane < rays_per_block;
            const Occlusion occlusion(
                field, h, sun_cone(field, context, point), reflected_cone(field, context, point));
            look_from(field, context, point, receiver);
            const PathAdjoint<float> adjoint = path_adjoint(
                field, context, receiver, point, ray_power, numbers, active, occlusion, light);
            float values[PathAdjoint<float>::kSize];
            adjoint.copy_to(values);
#pragma unroll
            for (int k = 0; k < PathAdjoint<float>::kSize; ++k) {
                const float sum = warp_sum_by_halves(values[k]);
                if (lane == k) totals[i].values[k] = sum;
            }
        }
        __syncwarp();
        if (lane < count) add_staged_bundle(field, h, totals[lane], sink);
    }
}

/// Adds derivatives of both halves of one heliostat to the sums. Called by all threads of a block.
template <typename Occlusion, typename Receiver, typename LightOf>
__device__ void backward_heliostat(const FieldView& field,
                                   const WorkUnit& unit,
                                   int32_t heliostat,
                                   Receiver& receiver,
                                   const LightOf& light_of,
                                   const GradientScale& scale,
                                   const GradientSums& sums,
                                   BackwardMemory& memory) {
    int64_t of_thread[kNumHeliostatGradients] = {};
    const LaneSink sink{scale, of_thread, sums.floats};
#pragma unroll 1
    for (int half = 0; half < 2; ++half) {
        backward_block<Occlusion>(field,
                                  field.heliostats[heliostat],
                                  2 * static_cast<int64_t>(unit.pair) + half,
                                  unit.rays_per_block,
                                  receiver,
                                  light_of,
                                  sink,
                                  memory);
    }
    for (int k = 0; k < kNumHeliostatGradients; ++k)
        CudaMachine::add(
            sums.heliostats + static_cast<int64_t>(heliostat) * kNumHeliostatGradients + k,
            of_thread[k]);
}

/// Kernel for work units with single targets; leaves out others. flux_gradient: [num_targets,
/// height, width].
template <typename Occlusion>
__global__ void __launch_bounds__(kThreadsPerBlock, kBlocksPerMultiprocessor)
    backward_units(const __grid_constant__ FieldView field,
                   const WorkUnit* units,
                   int64_t num_units,
                   const float* flux_gradient,
                   const __grid_constant__ GradientScale scale,
                   const __grid_constant__ GradientSums sums) {
    __shared__ BackwardMemory memory;
    load_tables(memory.tables);
    __syncthreads();
    const int64_t num_pixels = static_cast<int64_t>(field.bitmap_width) * field.bitmap_height;
    for (int64_t u = blockIdx.x; u < num_units; u += gridDim.x) {
        const WorkUnit unit = units[u];
        const TargetRecord& target = field.targets[unit.target];
        if (target.in_receiver != 0) continue;
        if (threadIdx.x == 0) assert_unit(field, unit);
        const TargetLight light{flux_gradient + unit.target * num_pixels};
        const auto light_of = [&](uint64_t) { return light; };
        const int32_t end = unit.first_heliostat + unit.num_heliostats;
        for (int32_t i = unit.first_heliostat; i < end; ++i)
            backward_heliostat<Occlusion>(field, unit, i, target, light_of, scale, sums, memory);
    }
}

}  // namespace

}  // namespace helioray::kernels
