// SPDX-License-Identifier: MIT
// Traces all rays of the blocks of a work unit on one thread, in the lanes of one instruction set,
// and adds their bitmaps. Compiled once per set.
#include "kernels/core/assert.h"
#include "kernels/cpu/bundle_walk.h"
#include "kernels/cpu/deposits.h"
#include "kernels/cpu/mirror_points.h"
#include "kernels/cpu/receiver_reflection.h"
#include "kernels/cpu/set_functions.h"
#include "kernels/cpu/set_lanes.h"

#include <type_traits>

namespace helioray::kernels {

/// Returns the quanta of the rays that reach the map: those of the target.
template <typename Real>
HELIORAY_HD auto on_map(const RayOutcome<Real>& outcome) {
    return outcome.quanta[kDeliveredSum];
}
/// Returns the quanta of the rays that reach a map: those on the fronts of surfaces.
template <typename Real>
HELIORAY_HD auto on_map(const RayOutcome<Real, SurfaceHit<Real>>& outcome) {
    return select(outcome.path.hit.front, outcome.arriving, make_int(0, Real()));
}

/// Sums of lanes: in 32 bits while they cannot overflow, then in 64 bits.
template <typename Real>
struct LaneSums {
    using Int = typename LaneTraits<Real>::Int;
    Int energy[kNumEnergySums];
    Int shielded;
    int32_t count;

    HELIORAY_HD void reset() {
        for (Int& sum : energy) sum = make_int(0, Real());
        shielded = make_int(0, Real());
        count = 0;
    }
    template <typename Hit>
    HELIORAY_HD void add(EnergySum i, const RayOutcome<Real, Hit>& outcome) {
        energy[i] = energy[i] + outcome.quanta[i];
    }
    /// A single target has no shields.
    HELIORAY_HD void add_shielded(const RayOutcome<Real>&) {}
    HELIORAY_HD void add_shielded(const RayOutcome<Real, SurfaceHit<Real>>& outcome) {
        const SurfaceHit<Real>& hit = outcome.path.hit;
        shielded = shielded + select(hit.meets & !hit.mask, outcome.arriving, make_int(0, Real()));
    }
    HELIORAY_HD void drain(BlockSums& sums) {
        for (int i = 0; i < kNumEnergySums; ++i) sums.energy[i] += sum(energy[i]);
        sums.shielded += sum(shielded);
        reset();
    }
};

/// Rays carry less than 2^23 quanta, so 128 of them fit in a 32-bit lane: 64 in each vector of a
/// pair, which are added before they are widened.
inline constexpr int kVectorsPerDrain = 64;

/// Policy of blocks whose surfaces absorb all light that they meet.
template <typename Real>
struct FullAbsorption {
    template <typename Outcome>
    HELIORAY_HD static auto on_map(const Outcome& outcome) {
        return helioray::kernels::on_map(outcome);
    }
    template <typename Outcome>
    HELIORAY_HD void absorb(const MirrorPoint&, int, Outcome&, BlockSums&, int64_t*) {}
    HELIORAY_HD void end_bundle(
        const HeliostatRecord&, const BundleSequence&, bool, BlockSums&, int64_t*) {}
    HELIORAY_HD void report_to(Tile&) const {}
};

/// Traces all rays of one block of heliostat h into the bitmap. The rays in `pending` at the end
/// must still be added. Absorption: FullAbsorption or Reflection.
template <typename Real,
          bool loads_ahead,
          typename Points,
          typename Occlusion,
          typename Receiver,
          typename Absorption>
HELIORAY_HD BlockSums trace_block(const FieldView& field,
                                  Receiver& target,
                                  const HeliostatRecord& h,
                                  int64_t rays_per_block,
                                  const BlockStart& start,
                                  Points& points,
                                  Occlusion& occlusion,
                                  Absorption& absorption,
                                  int64_t* bitmap,
                                  PendingRays<Real, loads_ahead>& pending,
                                  TouchedPixels<Real>& touched) {
    BlockSums sums{};
    LaneSums<Real> lanes;
    lanes.reset();
    for (BundleWalk<Points, Occlusion, Receiver> walk(
             field, target, h, rays_per_block, start, points, occlusion);
         walk.enter();
         walk.advance()) {
        for (int first = 0; first < kRaysPerPoint; first += LaneTraits<Real>::kWidth) {
            RayNumbers<Real> numbers;
            walk.numbers(first, numbers);
            auto outcome = trace_rays(field,
                                      walk.context,
                                      walk.target,
                                      walk.point,
                                      h.ray_power,
                                      numbers,
                                      walk.template active<Real>(first),
                                      walk.occlusion);
            absorption.absorb(walk.point, first, outcome, sums, bitmap);
            pending.add(field);
            pending.bitmap = bitmap;
            deposit(outcome.path.hit,
                    absorption.on_map(outcome),
                    field.filter,
                    field.bitmap_width,
                    field.bitmap_height,
                    pending,
                    touched);
            lanes.add(kIncidentSum, outcome);
            lanes.add(kReflectedSum, outcome);
            lanes.add(kDeliveredSum, outcome);
            lanes.add_shielded(outcome);
            if (field.shading != 0) lanes.add(kUnshadedSum, outcome);
            if (field.blocking != 0) lanes.add(kUnblockedSum, outcome);
            if (field.air.is_clear == 0) lanes.add(kAttenuatedSum, outcome);
            if (++lanes.count == kVectorsPerDrain) lanes.drain(sums);
        }
        const bool ends_block = walk.bundle + 1 == walk.num_bundles;
        absorption.end_bundle(h, walk.sequence, ends_block, sums, bitmap);
    }
    lanes.drain(sums);
    // Sums that cannot differ from another sum were not added up.
    if (field.shading == 0) sums.energy[kUnshadedSum] = sums.energy[kIncidentSum];
    if (field.blocking == 0) sums.energy[kUnblockedSum] = sums.energy[kReflectedSum];
    return sums;
}

/// Traces both blocks of every heliostat of a unit, see TraceBlocks. num_pixels: size of a half.
template <typename Real, typename Receiver, typename Absorption>
HELIORAY_HD void trace_unit(const FieldView& field,
                            const WorkUnit& unit,
                            Receiver& target,
                            Absorption& absorption,
                            int64_t num_pixels,
                            Tile* halves,
                            PairSums* sums) {
    using Lanes = typename SingleLanes<Real>::Type;
    UnitPoints<Lanes> points(field, unit);
    BundleOcclusion<Lanes> occlusion(field);
    PendingRays<Real, !std::is_same_v<Receiver, const TargetRecord>> pending(
        halves[0].pixels, num_pixels, halves[0].is_large);
    TouchedPixels<Real> touched(field.num_surfaces);
    for (int32_t i = 0; i < unit.num_heliostats; ++i) {
        const HeliostatRecord& h = field.heliostats[unit.first_heliostat + i];
        occlusion.begin(h);
        for (int half = 0; half < 2; ++half) {
            sums[i].half[half] = trace_block(field,
                                             target,
                                             h,
                                             unit.rays_per_block,
                                             points.begin(i, half),
                                             points,
                                             occlusion,
                                             absorption,
                                             halves[half].pixels,
                                             pending,
                                             touched);
        }
    }
    pending.add(field);
    for (int half = 0; half < 2; ++half) {
        touched.report_to(halves[half], field.num_surfaces);
        absorption.report_to(halves[half]);
    }
}

/// Adds pixels [first, first + width of Longs), and their differences to `sum`; writes nothing if
/// they are all zero.
template <typename Longs>
HELIORAY_HD void add_pixels(int64_t* a,
                            int64_t* b,
                            int64_t first,
                            double square_scale,
                            int64_t* flux,
                            int64_t* square,
                            int64_t* difference,
                            Longs& sum) {
    const Longs first_half = load_longs(a + first, Longs());
    const Longs other = load_longs(b + first, Longs());
    if (!any(first_half | other)) return;
    const Longs between = first_half - other;
    sum = sum + between;
    store(flux + first, load_longs(flux + first, Longs()) + (first_half + other));
    store(square + first,
          load_longs(square + first, Longs()) + scaled_square(between, square_scale));
    if (difference != nullptr)
        store(difference + first, load_longs(difference + first, Longs()) + between);
    store(a + first, Longs());
    store(b + first, Longs());
}

/// Adds as many pixels at once as Longs holds, and the remaining ones singly; see AddTiles.
template <typename Longs>
HELIORAY_HD int64_t add_halves(int64_t* a,
                               int64_t* b,
                               int64_t num_pixels,
                               double square_scale,
                               int64_t* flux,
                               int64_t* square,
                               int64_t* difference) {
    constexpr int kWidth = kLongsWidth<Longs>;
    int64_t singles = 0;
    alignas(64) int64_t lanes[kWidth] = {};
    Longs sum = load_longs(lanes, Longs());
    int64_t first = 0;
    for (; first + kWidth <= num_pixels; first += kWidth)
        add_pixels<Longs>(a, b, first, square_scale, flux, square, difference, sum);
    for (; first < num_pixels; ++first)
        add_pixels<int64_t>(a, b, first, square_scale, flux, square, difference, singles);
    store(lanes, sum);
    for (const int64_t lane : lanes) singles += lane;
    return singles;
}

namespace HELIORAY_SET {

namespace {

// Units of receivers have functions of their own: in one with single targets, what they hold on the
// stack makes these slower by 12 %.

/// Traces a unit whose surfaces absorb all light.
__attribute__((noinline)) void trace_absorbing_unit(
    const FieldView& field,
    const WorkUnit& unit,
    NearSurfaces<typename SingleLanes<Rays>::Type>& surfaces,
    int64_t num_pixels,
    Tile* halves,
    PairSums* sums) {
    FullAbsorption<Rays> full;
    trace_unit<Rays>(field, unit, surfaces, full, num_pixels, halves, sums);
}

/// Traces a unit whose surfaces reflect.
__attribute__((noinline)) void trace_reflecting_unit(
    const FieldView& field,
    const WorkUnit& unit,
    NearSurfaces<typename SingleLanes<Rays>::Type>& surfaces,
    int64_t num_pixels,
    Tile* halves,
    PairSums* sums) {
    Reflection<Rays> reflection(field, surfaces.groups(), num_pixels, halves[0]);
    trace_unit<Rays>(field, unit, surfaces, reflection, num_pixels, halves, sums);
}

__attribute__((noinline)) void trace_receiver_unit(const FieldView& field,
                                                   const WorkUnit& unit,
                                                   Tile* halves,
                                                   PairSums* sums) {
    NearSurfaces<typename SingleLanes<Rays>::Type> surfaces(field);
    const int64_t num_pixels =
        static_cast<int64_t>(field.bitmap_width) * field.bitmap_height * field.num_surfaces;
    if (field.reflects == 0) {
        trace_absorbing_unit(field, unit, surfaces, num_pixels, halves, sums);
    } else {
        trace_reflecting_unit(field, unit, surfaces, num_pixels, halves, sums);
    }
}

}  // namespace

void trace_blocks(const FieldView& field, const WorkUnit& unit, Tile* halves, PairSums* sums) {
    const TargetRecord target = field.targets[unit.target];
    if (target.in_receiver != 0) {
        trace_receiver_unit(field, unit, halves, sums);
        return;
    }
    const int64_t num_pixels = static_cast<int64_t>(field.bitmap_width) * field.bitmap_height;
    FullAbsorption<Rays> full;
    trace_unit<Rays>(field, unit, target, full, num_pixels, halves, sums);
}

int64_t add_tiles(int64_t* a,
                  int64_t* b,
                  int64_t num_pixels,
                  double square_scale,
                  int64_t* flux,
                  int64_t* square,
                  int64_t* difference) {
    return add_halves<Longs>(a, b, num_pixels, square_scale, flux, square, difference);
}

}  // namespace HELIORAY_SET

}  // namespace helioray::kernels
