// SPDX-License-Identifier: MIT
// Traces all rays of the blocks of a work unit on one thread, in the lanes of one instruction set,
// and adds their bitmaps. Compiled once per set.
#include "kernels/core/assert.h"
#include "kernels/cpu/bundle_walk.h"
#include "kernels/cpu/mirror_points.h"
#include "kernels/cpu/set_functions.h"
#include "kernels/cpu/set_lanes.h"
#include "kernels/receiver/pixels.h"

namespace helioray::kernels {

/// Range of pixels that lanes have touched.
template <typename Real>
struct TouchedPixels {
    using Int = typename LaneTraits<Real>::Int;
    Int lowest = make_int(INT32_MAX, Real());
    Int highest = make_int(-1, Real());

    HELIORAY_HD void include(typename LaneTraits<Real>::Mask mask, Int low, Int high) {
        lowest = min_where(mask, lowest, low);
        highest = max_where(mask, highest, high);
    }
    HELIORAY_HD void report_to(Tile& tile) const { tile.touch(smallest(lowest), largest(highest)); }
};

/// The most recently deposited rays. They are added to their pixels one vector later, so that
/// tracing the next rays need not wait for them.
template <typename Real>
class PendingRays {
  public:
    using Int = typename LaneTraits<Real>::Int;

    int64_t* bitmap;  ///< destination of the rays

    /// num_pixels: size of all bitmaps.
    HELIORAY_HD PendingRays(int64_t* first_bitmap, int64_t num_pixels)
        : bitmap(first_bitmap), num_pixels_(num_pixels) {}

    HELIORAY_HD void keep(int i, Int pixel, Int quanta) {
        store(pixels_[i], pixel);
        store(quanta_[i], quanta);
    }
    HELIORAY_HD void add(const FieldView& field) {
        // Use memory, because GCC would extract the lanes from registers with shuffles, which is
        // slower.
        __asm__("" : "+m"(pixels_), "+m"(quanta_));
        add_lanes(0, bitmap);
        if (field.filter == FilterKind::box) return;
        for (int i = 1; i < 4; ++i) add_lanes(i, bitmap);
    }

  private:
    static constexpr int kWidth = LaneTraits<Real>::kWidth;

    /// Adds the lanes one by one, because several may have the same pixel; rays that miss add 0.
    HELIORAY_HD void add_lanes(int i, int64_t* pixels) const {
#pragma GCC unroll 32
        for (int l = 0; l < kWidth; ++l) {
            HELIORAY_ASSERT(pixels_[i][l] >= 0 && pixels_[i][l] < num_pixels_,
                            "a ray's pixel is part of the bitmap");
            HELIORAY_ASSERT(quanta_[i][l] >= 0, "a ray's quanta are a count");
            pixels[pixels_[i][l]] += quanta_[i][l];
        }
    }

    [[maybe_unused]] int64_t num_pixels_;
    alignas(64) int32_t pixels_[4][kWidth] = {};
    alignas(64) int32_t quanta_[4][kWidth] = {};
};

/// Returns the mask of the rays that hit a map. pixel_of_maps() returns the index of a pixel in the
/// array of all maps.
template <typename Real>
HELIORAY_HD auto lit_rays(const TargetHit<Real>& hit) {
    return hit.mask;
}
template <typename Real, typename Int>
HELIORAY_HD Int pixel_of_maps(const TargetHit<Real>&, Int pixel, int32_t) {
    return pixel;
}
/// In that array the maps of the surfaces of receivers follow each other, num_pixels each.
template <typename Real>
HELIORAY_HD auto lit_rays(const SurfaceHit<Real>& hit) {
    return hit.front;
}
template <typename Real, typename Int>
HELIORAY_HD Int pixel_of_maps(const SurfaceHit<Real>& hit, Int pixel, int32_t num_pixels) {
    return hit.surface * make_int(num_pixels, hit.across) + pixel;
}

/// Stores the rays as pending, for maps of width x height pixels; quanta are 0 in lanes that miss.
template <typename Real, typename Hit>
HELIORAY_HD void deposit(const Hit& hit,
                         typename LaneTraits<Real>::Int quanta,
                         FilterKind filter,
                         int32_t width,
                         int32_t height,
                         PendingRays<Real>& pending,
                         TouchedPixels<Real>& touched) {
    if (filter == FilterKind::box) {
        const auto pixel = pixel_of_maps(hit, nearest_pixel(hit, width, height), width * height);
        touched.include(lit_rays(hit), pixel, pixel);
        pending.keep(0, pixel, quanta);
        return;
    }
    PixelShares<Real> shares = bilinear_shares(hit, quanta, width, height);
    for (auto& pixel : shares.pixel) pixel = pixel_of_maps(hit, pixel, width * height);
    touched.include(lit_rays(hit), shares.pixel[0], shares.pixel[3]);
    for (int i = 0; i < 4; ++i) pending.keep(i, shares.pixel[i], shares.quanta[i]);
}

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

/// Traces all rays of one block of heliostat h into the bitmap. The rays in `pending` at the end
/// must still be added.
template <typename Real, typename Points, typename Occlusion, typename Receiver>
HELIORAY_HD BlockSums trace_block(const FieldView& field,
                                  Receiver& target,
                                  const HeliostatRecord& h,
                                  int64_t rays_per_block,
                                  const BlockStart& start,
                                  Points& points,
                                  Occlusion& occlusion,
                                  int64_t* bitmap,
                                  PendingRays<Real>& pending,
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
            const auto outcome = trace_rays(field,
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
                    on_map(outcome),
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
    }
    lanes.drain(sums);
    // Sums that cannot differ from another sum were not added up.
    if (field.shading == 0) sums.energy[kUnshadedSum] = sums.energy[kIncidentSum];
    if (field.blocking == 0) sums.energy[kUnblockedSum] = sums.energy[kReflectedSum];
    return sums;
}

/// Traces both blocks of every heliostat of a unit, see TraceBlocks. num_pixels: size of a half.
template <typename Real, typename Receiver>
HELIORAY_HD void trace_unit(const FieldView& field,
                            const WorkUnit& unit,
                            Receiver& target,
                            int64_t num_pixels,
                            Tile* halves,
                            PairSums* sums) {
    using Lanes = typename SingleLanes<Real>::Type;
    UnitPoints<Lanes> points(field, unit);
    BundleOcclusion<Lanes> occlusion(field);
    PendingRays<Real> pending(halves[0].pixels, num_pixels);
    TouchedPixels<Real> touched;
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
                                             halves[half].pixels,
                                             pending,
                                             touched);
        }
    }
    pending.add(field);
    for (int half = 0; half < 2; ++half) touched.report_to(halves[half]);
}

/// Adds pixels [first, first + width of Longs); writes nothing if they are all zero.
template <typename Longs>
HELIORAY_HD void add_pixels(int64_t* a,
                            int64_t* b,
                            int64_t first,
                            double square_scale,
                            int64_t* flux,
                            int64_t* square,
                            int64_t* difference) {
    const Longs first_half = load_longs(a + first, Longs());
    const Longs other = load_longs(b + first, Longs());
    if (!any(first_half | other)) return;
    const Longs between = first_half - other;
    store(flux + first, load_longs(flux + first, Longs()) + (first_half + other));
    store(square + first,
          load_longs(square + first, Longs()) + scaled_square(between, square_scale));
    if (difference != nullptr)
        store(difference + first, load_longs(difference + first, Longs()) + between);
    store(a + first, Longs());
    store(b + first, Longs());
}

/// Adds as many pixels at once as Longs holds, and the remaining ones singly.
template <typename Longs>
HELIORAY_HD void add_halves(int64_t* a,
                            int64_t* b,
                            int64_t num_pixels,
                            double square_scale,
                            int64_t* flux,
                            int64_t* square,
                            int64_t* difference) {
    constexpr int kWidth = kLongsWidth<Longs>;
    int64_t first = 0;
    for (; first + kWidth <= num_pixels; first += kWidth)
        add_pixels<Longs>(a, b, first, square_scale, flux, square, difference);
    for (; first < num_pixels; ++first)
        add_pixels<int64_t>(a, b, first, square_scale, flux, square, difference);
}

namespace HELIORAY_SET {

void trace_blocks(const FieldView& field, const WorkUnit& unit, Tile* halves, PairSums* sums) {
    const int64_t num_pixels = static_cast<int64_t>(field.bitmap_width) * field.bitmap_height;
    const TargetRecord target = field.targets[unit.target];
    if (target.in_receiver == 0) {
        trace_unit<Rays>(field, unit, target, num_pixels, halves, sums);
        return;
    }
    NearSurfaces<typename SingleLanes<Rays>::Type> surfaces(field, halves[0].surfaces);
    trace_unit<Rays>(field, unit, surfaces, num_pixels * field.num_surfaces, halves, sums);
}

void add_tiles(int64_t* a,
               int64_t* b,
               int64_t num_pixels,
               double square_scale,
               int64_t* flux,
               int64_t* square,
               int64_t* difference) {
    add_halves<Longs>(a, b, num_pixels, square_scale, flux, square, difference);
}

}  // namespace HELIORAY_SET

}  // namespace helioray::kernels
