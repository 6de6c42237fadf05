// SPDX-License-Identifier: MIT
// Computes derivatives of all rays of one block of one heliostat on one thread, in the lanes of one
// instruction set. Compiled once per set.
#include "kernels/cpu/bundle_walk.h"
#include "kernels/cpu/mirror_points.h"
#include "kernels/cpu/set_functions.h"
#include "kernels/cpu/set_lanes.h"
#include "kernels/ray/path_adjoint.h"

namespace helioray::kernels {

/// Returns the sum over all lanes of a bundle's vectors, by halves of the 32 rays: this order, and
/// so the result, does not depend on the width of vectors. Overwrites `parts`.
template <typename Real, int kVectors>
HELIORAY_HD float sum_bundle(Real (&parts)[kVectors]) {
    for (int half = kVectors / 2; half > 0; half /= 2) {
        for (int i = 0; i < half; ++i) parts[i] = parts[i] + parts[i + half];
    }
    return sum_by_halves(parts[0]);
}

template <typename Real, typename Edges>
HELIORAY_HD void block_backward(const FieldView& field,
                                const HeliostatRecord& h,
                                int64_t block,
                                int64_t rays_per_block,
                                const float* gradient,
                                const Edges& edges,
                                const BlockGradient& sums) {
    constexpr int kWidth = LaneTraits<Real>::kWidth;
    constexpr int kVectors = kRaysPerPoint / kWidth;
    constexpr int kSize = PathAdjoint<Real>::kSize;
    const TargetRecord target = field.targets[h.target];
    const BlockStart start = block_start(field, h, block, count_bundles(rays_per_block));
    SinglePoints points;
    using Occlusion = BundleOcclusion<typename SingleLanes<Real>::Type>;
    Occlusion occlusion(field);
    occlusion.begin(h);
    for (BundleWalk<SinglePoints, Occlusion, const TargetRecord> walk(
             field, target, h, rays_per_block, start, points, occlusion);
         walk.enter();
         walk.advance()) {
        Real parts[kSize][kVectors];
        for (int v = 0; v < kVectors; ++v) {
            const int first = v * kWidth;
            RayNumbers<Real> numbers;
            walk.numbers(first, numbers);
            const PathAdjoint<Real> adjoint = path_adjoint(field,
                                                           walk.context,
                                                           walk.target,
                                                           walk.point,
                                                           h.ray_power,
                                                           numbers,
                                                           walk.template active<Real>(first),
                                                           walk.occlusion,
                                                           gradient,
                                                           edges);
            Real values[kSize];
            adjoint.copy_to(values);
            for (int i = 0; i < kSize; ++i) parts[i][v] = values[i];
        }

        // All rays share one point, so plain numbers are used from here on.
        float totals[kSize];
        for (int i = 0; i < kSize; ++i) totals[i] = sum_bundle(parts[i]);
        add_bundle(h, points.local, PathAdjoint<float>::from(totals), sums);
    }
}

namespace HELIORAY_SET {

void trace_block_backward(const FieldView& field,
                          const HeliostatRecord& h,
                          int64_t block,
                          int64_t rays_per_block,
                          const float* gradient,
                          const BlockGradient& sums) {
    block_backward<Rays>(field, h, block, rays_per_block, gradient, NoEdges{}, sums);
}

void trace_block_backward_with_edges(const FieldView& field,
                                     const HeliostatRecord& h,
                                     int64_t block,
                                     int64_t rays_per_block,
                                     const float* gradient,
                                     float edge_reach,
                                     const BlockGradient& sums) {
    const BodyAndRimEdges edges{edge_reach};
    block_backward<Rays>(field, h, block, rays_per_block, gradient, edges, sums);
}

}  // namespace HELIORAY_SET

}  // namespace helioray::kernels
