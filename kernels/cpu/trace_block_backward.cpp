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

/// light_of(sequence, lane): returns the light of the rays of a bundle from a lane on, see
/// path_adjoint().
template <typename Real, typename Receiver, typename LightOf, typename Edges>
HELIORAY_HD void block_backward(const FieldView& field,
                                Receiver& target,
                                const HeliostatRecord& h,
                                int64_t block,
                                int64_t rays_per_block,
                                const LightOf& light_of,
                                const Edges& edges,
                                const BlockGradient& sums) {
    constexpr int kWidth = LaneTraits<Real>::kWidth;
    constexpr int kVectors = kRaysPerPoint / kWidth;
    constexpr int kSize = PathAdjoint<Real>::kSize;
    const BlockStart start = block_start(field, h, block, count_bundles(rays_per_block));
    SinglePoints points;
    using Occlusion = BundleOcclusion<typename SingleLanes<Real>::Type>;
    Occlusion occlusion(field);
    occlusion.begin(h);
    for (BundleWalk<SinglePoints, Occlusion, Receiver> walk(
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
                                                           light_of(walk.sequence, first),
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

namespace {

using Surfaces = NearSurfaces<typename SingleLanes<Rays>::Type>;

/// Computes derivatives of a heliostat that lights the surfaces of receivers. mirrors: these
/// surfaces if mirrors are among them, otherwise null.
__attribute__((noinline)) void surfaces_backward(const FieldView& field,
                                                 Surfaces& surfaces,
                                                 const SurfaceLight<Rays>::Mirrors* mirrors,
                                                 const HeliostatRecord& h,
                                                 int64_t block,
                                                 int64_t rays_per_block,
                                                 const float* gradient,
                                                 const BlockGradient& sums) {
    const SurfaceLight<Rays> light(field, gradient, mirrors);
    const auto light_of = [&](const BundleSequence& sequence, int first) {
        const uint64_t bundle = sequence.bundle();
        const auto lane =
            (static_cast<uint32_t>(bundle >> 32) << kLaneBits) + static_cast<uint32_t>(first);
        return SurfacesLight<Rays>{light,
                                   h.random_id,
                                   make_uint(static_cast<uint32_t>(bundle), Rays()),
                                   make_uint(lane, Rays()) + lane_index(Rays())};
    };
    block_backward<Rays>(field, surfaces, h, block, rays_per_block, light_of, NoEdges{}, sums);
}

}  // namespace

void trace_block_backward(const FieldView& field,
                          const HeliostatRecord& h,
                          int64_t block,
                          int64_t rays_per_block,
                          const float* gradient,
                          float edge_reach,
                          const BlockGradient& sums) {
    const TargetRecord target = field.targets[h.target];
    if (target.in_receiver == 0) {
        const TargetLight light{gradient};
        const auto light_of = [&](const BundleSequence&, int) { return light; };
        const BodyAndRimEdges edges{edge_reach};
        block_backward<Rays>(field, target, h, block, rays_per_block, light_of, edges, sums);
        return;
    }
    Surfaces surfaces(field);
    if (field.reflects == 0 || !has_mirrors(field)) {
        surfaces_backward(field, surfaces, nullptr, h, block, rays_per_block, gradient, sums);
        return;
    }
    const ReflectingTables tables(field, surfaces.groups());
    const SurfaceLight<Rays>::Mirrors mirrors(field, surfaces.groups(), tables);
    surfaces_backward(field, surfaces, &mirrors, h, block, rays_per_block, gradient, sums);
}

}  // namespace HELIORAY_SET

}  // namespace helioray::kernels
