// SPDX-License-Identifier: MIT
// All rays of one block of one heliostat, on one thread, in the lanes of one instruction set.
#pragma once

#include "kernels/cpu/block_functions.h"
#include "kernels/cpu/bundle_walk.h"
#include "kernels/cpu/deposit.h"
#include "kernels/cpu/mirror_points.h"
#include "kernels/cpu/ray_lanes.h"

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
    HELIORAY_HD void add(EnergySum i, const RayOutcome<Real>& outcome) {
        energy[i] = energy[i] + outcome.quanta[i];
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
    const int64_t num_pixels = static_cast<int64_t>(field.bitmap_width) * field.bitmap_height;
    BlockSums sums{};
    LaneSums<Real> lanes;
    lanes.reset();
    PendingRays<Real> pending;
    TouchedPixels<Real> touched;
    using Points = BatchedPoints<typename SingleLanes<Real>::Type>;
    for (BundleWalk<Points> walk(field, h, block, rays_per_block); walk.enter(); walk.advance()) {
        for (int first = 0; first < kRaysPerPoint; first += LaneTraits<Real>::kWidth) {
            RayNumbers<Real> numbers;
            walk.numbers(first, numbers);
            const RayOutcome<Real> outcome = trace_rays(field,
                                                        walk.context,
                                                        walk.target,
                                                        walk.point,
                                                        h.ray_power,
                                                        numbers,
                                                        walk.template active<Real>(first),
                                                        walk.occlusion);
            pending.add_to(tile.pixels, num_pixels, field.filter);
            deposit(outcome.path.hit,
                    outcome.quanta[kDeliveredSum],
                    field.filter,
                    field.bitmap_width,
                    field.bitmap_height,
                    pending,
                    touched);
            lanes.add(kIncidentSum, outcome);
            lanes.add(kReflectedSum, outcome);
            lanes.add(kDeliveredSum, outcome);
            if (field.shading != 0) lanes.add(kUnshadedSum, outcome);
            if (field.blocking != 0) lanes.add(kUnblockedSum, outcome);
            if (field.air.is_clear == 0) lanes.add(kAttenuatedSum, outcome);
            if (++lanes.count == kVectorsPerDrain) lanes.drain(sums);
        }
    }
    lanes.drain(sums);
    // What nothing was taken from was not added up.
    if (field.shading == 0) sums.energy[kUnshadedSum] = sums.energy[kIncidentSum];
    if (field.blocking == 0) sums.energy[kUnblockedSum] = sums.energy[kReflectedSum];
    pending.add_to(tile.pixels, num_pixels, field.filter);
    touched.report_to(tile);
    return sums;
}

}  // namespace helioray::kernels
