// SPDX-License-Identifier: MIT
// Derivatives of all rays of one block of one heliostat, on one thread.
#pragma once

#include "kernels/cpu/backward_functions.h"
#include "kernels/cpu/near_occluders.h"
#include "kernels/cpu/sequence_tables.h"
#include "kernels/ray/path_adjoint.h"

namespace helioray::kernels {

/// Sum over all lanes of a bundle's vectors, by halves of the 32 rays: the same order, and so the
/// same bits, for every width of vectors. Destroys parts.
template <typename Real, int kVectors>
HELIORAY_HD float sum_of_bundle(Real (&parts)[kVectors]) {
    for (int half = kVectors / 2; half > 0; half /= 2) {
        for (int i = 0; i < half; ++i) parts[i] = parts[i] + parts[i + half];
    }
    return sum_by_halves(parts[0]);
}

template <typename Real>
HELIORAY_HD void trace_block_backward(const FieldView& field,
                                      const HeliostatRecord& h,
                                      int64_t block,
                                      int64_t rays_per_block,
                                      const float* gradient,
                                      const BlockGradient& sums) {
    constexpr int kWidth = LaneTraits<Real>::kWidth;
    constexpr int kVectors = kRaysPerPoint / kWidth;
    constexpr int kSize = PathAdjoint<Real>::kSize;
    const TargetRecord target = field.targets[h.target];
    const RayContext context = ray_context(h);
    const int64_t num_bundles = (rays_per_block + kRaysPerPoint - 1) / kRaysPerPoint;
    BundleSequence sequence(
        kSequenceTables, field.sampling, field.seed, h.random_id, block, num_bundles);
    const ObstacleRecord* obstacles =
        field.obstacles + static_cast<int64_t>(h.target) * field.num_obstacles;
    const bool specularity = field.specularity_error.kind != AngularShape::Kind::none;
    const bool occlusion_wanted = field.shading != 0 || field.blocking != 0;
    BundleOcclusion occlusion;

    for (int64_t bundle = 0; bundle < num_bundles; ++bundle) {
        float xi, eta;
        sequence.point(xi, eta);
        const MirrorPoint point = mirror_point(field, h, xi, eta);
        if (occlusion_wanted) {
            occlusion.move_to(field,
                              h,
                              obstacles,
                              sun_cone(field, context, point),
                              reflected_cone(field, context, point));
        }
        const int64_t left = rays_per_block - bundle * kRaysPerPoint;
        const Real num_active(static_cast<float>(left < kRaysPerPoint ? left : kRaysPerPoint));
        Real parts[kSize][kVectors];
        for (int v = 0; v < kVectors; ++v) {
            const int first = v * kWidth;
            const RayNumbers<Real> numbers = sequence.ray_numbers<Real>(first, specularity);
            const PathAdjoint<Real> adjoint = path_adjoint(field,
                                                           context,
                                                           target,
                                                           point,
                                                           h.ray_power,
                                                           numbers,
                                                           lane_number(first, Real()) < num_active,
                                                           occlusion,
                                                           gradient);
            Real values[kSize];
            adjoint.copy_to(values);
            for (int i = 0; i < kSize; ++i) parts[i][v] = values[i];
        }

        // One point for all rays: from here on plain numbers.
        float totals[kSize];
        for (int i = 0; i < kSize; ++i) totals[i] = sum_of_bundle(parts[i]);
        add_bundle(field, h, xi, eta, PathAdjoint<float>::from(totals), sums);
        sequence.advance();
    }
}

}  // namespace helioray::kernels
