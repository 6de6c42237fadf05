// SPDX-License-Identifier: MIT
// All rays of one block of one heliostat, on one thread, in the lanes of one instruction set.
#pragma once

#include "kernels/cpu/block_functions.h"
#include "kernels/cpu/bundle_walk.h"
#include "kernels/cpu/deposit.h"

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
    BlockSums sums{};
    LaneSums<Real> lanes;
    lanes.reset();
    TouchedPixels<Real> touched;
    for (BundleWalk walk(field, h, block, rays_per_block); walk.enter(); walk.advance()) {
        for (int first = 0; first < kRaysPerPoint; first += LaneTraits<Real>::kWidth) {
            const RayOutcome<Real> outcome = trace_rays(field,
                                                        walk.context,
                                                        walk.target,
                                                        walk.point,
                                                        h.ray_power,
                                                        walk.numbers<Real>(first),
                                                        walk.active<Real>(first),
                                                        walk.occlusion);
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
    }
    lanes.drain(sums);
    touched.report_to(tile);
    return sums;
}

}  // namespace helioray::kernels
