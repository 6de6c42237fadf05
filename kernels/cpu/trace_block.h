// SPDX-License-Identifier: MIT
// All rays of the blocks of a work unit, on one thread, in the lanes of one instruction set.
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

/// Rays carry less than 2^23 quanta, so 128 of them fit into a 32-bit lane: 64 into each of a
/// pair's vectors, which are added before they are widened.
inline constexpr int kVectorsPerDrain = 64;

/// All rays of one block of heliostat h into the bitmap. What `pending` holds at the end is still
/// to be added.
template <typename Real, typename Points>
HELIORAY_HD BlockSums trace_block(const FieldView& field,
                                  const TargetRecord& target,
                                  const HeliostatRecord& h,
                                  int64_t rays_per_block,
                                  const BlockStart& start,
                                  Points& points,
                                  int64_t* bitmap,
                                  PendingRays<Real>& pending,
                                  TouchedPixels<Real>& touched) {
    BlockSums sums{};
    LaneSums<Real> lanes;
    lanes.reset();
    for (BundleWalk<Points> walk(field, target, h, rays_per_block, start, points); walk.enter();
         walk.advance()) {
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
            pending.add(field);
            pending.bitmap = bitmap;
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
    return sums;
}

/// Both blocks of every heliostat of a unit, see TraceBlocks.
template <typename Real>
HELIORAY_HD void trace_blocks(const FieldView& field,
                              const WorkUnit& unit,
                              Tile* halves,
                              PairSums* sums) {
    const TargetRecord target = field.targets[unit.target];
    UnitPoints<typename SingleLanes<Real>::Type> points(field, unit);
    PendingRays<Real> pending(halves[0].pixels);
    TouchedPixels<Real> touched;
    for (int32_t i = 0; i < unit.num_heliostats; ++i) {
        const HeliostatRecord& h = field.heliostats[unit.first_heliostat + i];
        for (int half = 0; half < 2; ++half) {
            sums[i].half[half] = trace_block(field,
                                             target,
                                             h,
                                             unit.rays_per_block,
                                             points.begin(i, half),
                                             points,
                                             halves[half].pixels,
                                             pending,
                                             touched);
        }
    }
    pending.add(field);
    for (int half = 0; half < 2; ++half) touched.report_to(halves[half]);
}

}  // namespace helioray::kernels
