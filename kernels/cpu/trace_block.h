// SPDX-License-Identifier: MIT
// All rays of one block of one heliostat, on one thread, in the lanes of one instruction set.
#pragma once

#include "kernels/cpu/block_functions.h"
#include "kernels/cpu/deposit.h"
#include "kernels/cpu/near_occluders.h"
#include "kernels/cpu/sequence_tables.h"
#include "kernels/ray/bundle.h"

namespace helioray::kernels {

/// Sums of lanes: 32-bit while they cannot overflow, then 64-bit.
template <typename Real>
struct LaneSums {
    using Int = typename LaneTraits<Real>::Int;
    Int energy[kNumEnergySums];
    int32_t count;

    HELIORAY_HD void reset() {
        for (Int& one : energy) one = make_int(0, Real());
        count = 0;
    }
    HELIORAY_HD void drain(BlockSums& sums) {
        for (int i = 0; i < kNumEnergySums; ++i) sums.energy[i] += sum(energy[i]);
        reset();
    }
};

/// Rays carry less than 2^23 quanta, so 128 of them fit into a 32-bit lane.
inline constexpr int kVectorsPerDrain = 128;

template <typename Real>
HELIORAY_HD BlockSums trace_block(const FieldView& field,
                                  const HeliostatRecord& h,
                                  int64_t block,
                                  int64_t rays_per_block,
                                  Tile& tile) {
    using Mask = typename LaneTraits<Real>::Mask;
    constexpr int kWidth = LaneTraits<Real>::kWidth;
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

    BlockSums sums{};
    LaneSums<Real> lanes;
    lanes.reset();
    TouchedPixels<Real> touched;
    for (int64_t bundle = 0; bundle < num_bundles; ++bundle) {
        // One mirror point for all rays of the bundle.
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

        // The last bundle of a block may be partial.
        const int64_t left = rays_per_block - bundle * kRaysPerPoint;
        const Real num_active(static_cast<float>(left < kRaysPerPoint ? left : kRaysPerPoint));
        for (int first = 0; first < kRaysPerPoint; first += kWidth) {
            const RayNumbers<Real> numbers = sequence.ray_numbers<Real>(first, specularity);
            const Real lane = lane_number(first, Real());
            const Mask active = lane < num_active;
            const RayOutcome<Real> outcome =
                trace_rays(field, context, target, point, h.ray_power, numbers, active, occlusion);
            deposit(outcome.hit,
                    outcome.quanta[kDeliveredSum],
                    field.filter,
                    field.bitmap_width,
                    field.bitmap_height,
                    tile,
                    touched);
            for (int i = 0; i < kNumEnergySums; ++i)
                lanes.energy[i] = lanes.energy[i] + outcome.quanta[i];
            if (++lanes.count == kVectorsPerDrain) lanes.drain(sums);
        }
        sequence.advance();
    }
    lanes.drain(sums);
    touched.report_to(tile);
    return sums;
}

}  // namespace helioray::kernels
