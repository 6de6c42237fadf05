// SPDX-License-Identifier: MIT
// Light that the surfaces of receivers reflect, followed from surface to surface in full vectors.
#pragma once

#include "kernels/core/lane_pair.h"
#include "kernels/cpu/deposits.h"
#include "kernels/cpu/set_functions.h"
#include "kernels/ray/path.h"
#include "kernels/ray/reflection.h"

namespace helioray::kernels {

/// Light that has met a surface and is about to leave it, one ray in each lane.
template <typename Real>
struct ReflectedLight {
    Vec<Real> point;                            ///< hit, shared frame
    Vec<Real> direction;                        ///< unit direction of the light that arrives
    typename LaneTraits<Real>::Int surface;     ///< index into FieldView::surfaces
    typename LaneTraits<Real>::Int pixel;       ///< pixel of the hit in the map of the surface
    typename LaneTraits<Real>::Int quanta;      ///< reflected power; 0 in empty lanes
    typename LaneTraits<Real>::Uint low, high;  ///< number of the ray among those of its heliostat
};

/// Reflected light of several rays in memory, see ReflectedLight.
template <int kCapacity>
struct ReflectedRows {
    alignas(64) float numbers[6][kCapacity] = {};  ///< points and directions
    alignas(64) int32_t surface[kCapacity] = {};
    alignas(64) int32_t pixel[kCapacity] = {};
    alignas(64) int32_t quanta[kCapacity] = {};
    alignas(64) uint32_t low[kCapacity] = {};
    alignas(64) uint32_t high[kCapacity] = {};

    template <typename Lanes>
    HELIORAY_HD void read(int first, ReflectedLight<Lanes>& light) const {
        const auto row = [&](int k) { return load(numbers[k] + first, Lanes()); };
        const auto bits = [&](const int32_t* from) {
            return bits_of(load(reinterpret_cast<const uint32_t*>(from) + first, Lanes()));
        };
        light.point = {row(0), row(1), row(2)};
        light.direction = {row(3), row(4), row(5)};
        light.surface = bits(surface);
        light.pixel = bits(pixel);
        light.quanta = bits(quanta);
        light.low = load(low + first, Lanes());
        light.high = load(high + first, Lanes());
    }
    template <typename Lanes>
    HELIORAY_HD void write(int first, const ReflectedLight<Lanes>& light) {
        store(numbers[0] + first, light.point.x);
        store(numbers[1] + first, light.point.y);
        store(numbers[2] + first, light.point.z);
        store(numbers[3] + first, light.direction.x);
        store(numbers[4] + first, light.direction.y);
        store(numbers[5] + first, light.direction.z);
        store(surface + first, light.surface);
        store(pixel + first, light.pixel);
        store(quanta + first, light.quanta);
        store(low + first, light.low);
        store(high + first, light.high);
    }
    /// Copies ray `from` of other rows to `to`, with other quanta.
    template <int kOther>
    HELIORAY_HD void copy(const ReflectedRows<kOther>& other, int from, int to, int32_t power) {
        for (int k = 0; k < 6; ++k) numbers[k][to] = other.numbers[k][from];
        surface[to] = other.surface[from];
        pixel[to] = other.pixel[from];
        quanta[to] = power;
        low[to] = other.low[from];
        high[to] = other.high[from];
    }
};

/// Rays that surfaces have reflected equally often, in the order of their block.
///
/// One in FieldView::rays_per_carrier rays of a group of kRaysPerPoint consecutive ones carries on.
/// The light of the group, ray after ray, is divided into equal parts, and each part goes on with
/// the ray in which a random position within it lies. A ray therefore carries its own light on the
/// average, no light is lost, and every mean is the same; surfaces that absorb most of the light
/// need fewer rays for the rest. The choice depends on the order alone, not on the width of
/// vectors. One random number serves a group.
class ReflectedRays {
  public:
    /// Number of rays at which they are followed. Many are better: they become fewer with every
    /// reflection.
    static constexpr int kMany = 256;
    static constexpr int kCapacity = kMany + kRaysPerPoint;
    using Rows = ReflectedRows<kCapacity>;

    HELIORAY_HD int size() const { return size_; }
    HELIORAY_HD Rows& rows() { return rows_; }
    HELIORAY_HD void clear() { size_ = 0; }

    /// Adds the carriers of the group that begins at row `first`; rows without light do not count.
    /// random: 32 random bits of this group.
    template <int kOther>
    HELIORAY_HD void add_group(const ReflectedRows<kOther>& from,
                               int first,
                               uint32_t random,
                               int32_t rays_per_carrier) {
        uint32_t ends[kRaysPerPoint];
        uint32_t total = 0;
        int32_t lit = 0;
        for (int i = 0; i < kRaysPerPoint; ++i) {
            const int32_t power = from.quanta[first + i];
            total += static_cast<uint32_t>(power);
            lit += power > 0 ? 1 : 0;
            ends[i] = total;
        }
        if (lit == 0) return;
        if (rays_per_carrier == 1) {
            for (int i = first; i < first + kRaysPerPoint; ++i) {
                if (from.quanta[i] > 0) rows_.copy(from, i, size_++, from.quanta[i]);
            }
            return;
        }
        // No carrier has more quanta, so that the sums of a group and of a vector fit in 32 bits.
        constexpr uint32_t kMostQuanta = 1u << 26;
        const auto wanted = static_cast<uint32_t>((lit + rays_per_carrier - 1) / rays_per_carrier);
        const uint32_t needed = (total - 1) / kMostQuanta + 1;
        uint32_t begin = 0;
        for (uint32_t left = wanted > needed ? wanted : needed; left > 0; --left) {
            const uint32_t part = (total - begin) / left;
            const uint32_t position =
                begin + static_cast<uint32_t>(static_cast<uint64_t>(part) * random >> 32);
            int ray = 0;
            for (const uint32_t end : ends) ray += end <= position ? 1 : 0;
            if (part > 0) rows_.copy(from, first + ray, size_++, static_cast<int32_t>(part));
            begin += part;
        }
    }

    /// Removes the light of the rows after the last ray, as many as a group may read.
    HELIORAY_HD void darken_rest() {
        for (int i = size_; i < size_ + kRaysPerPoint && i < kCapacity; ++i) rows_.quanta[i] = 0;
    }

  private:
    int size_ = 0;
    Rows rows_;
};

/// Policy of blocks whose surfaces reflect a part of the light, which is followed from surface to
/// surface. The maps of incident light follow those of the absorbed light.
template <typename Real>
class Reflection {
  public:
    using Int = typename LaneTraits<Real>::Int;
    using Lanes = typename SingleLanes<Real>::Type;

    /// num_pixels: of the maps of absorbed light; tile: of the unit.
    HELIORAY_HD Reflection(const FieldView& field,
                           const SurfaceGroups& groups,
                           int64_t num_pixels,
                           const Tile& tile)
        : field_(field),
          num_pixels_(num_pixels),
          surfaces_(field, groups),
          has_mirrors_(has_mirrors(field)),
          incident_(nullptr, num_pixels, tile.is_large) {}

    HELIORAY_HD Int on_map(const RayOutcome<Real, SurfaceHit<Real>>& outcome) const {
        return absorbed_on_map(outcome.path.hit, outcome.arriving, outcome.quanta[kDeliveredSum]);
    }

    /// Divides the rays that start at lane `first` of a bundle into absorbed and reflected light.
    HELIORAY_HD void absorb(const MirrorPoint& mirror,
                            int first,
                            RayOutcome<Real, SurfaceHit<Real>>& outcome,
                            BlockSums& sums,
                            int64_t* bitmap) {
        const SurfaceHit<Real>& hit = outcome.path.hit;
        const Vec<Real>& direction = outcome.path.reflected;
        const Int zero = make_int(0, Real());
        const Vec<Real> point = add_scaled(broadcast<Real>(mirror.position),
                                           select(hit.meets, hit.distance, Real(0.0f)),
                                           direction);
        const Int pixel = needed_pixel(field_, hit);
        const Real cosine = incidence(hit.surface, pixel, point, direction);
        const Int before = outcome.quanta[kDeliveredSum];
        const Int absorbed = absorbed_part(hit, cosine, before);
        outcome.quanta[kDeliveredSum] = counted_part(hit, absorbed, sums);
        const Int rest = before - absorbed;
        const typename LaneTraits<Real>::Mask goes_on = Real(0.0f) < bounces(hit);
        const Int left = select(goes_on, zero, rest);
        if (any(zero < left)) sums.reflected[kBounceLimitSum] += sum(left);
        store(bundle_.numbers[0] + first, point.x);
        store(bundle_.numbers[1] + first, point.y);
        store(bundle_.numbers[2] + first, point.z);
        store(bundle_.numbers[3] + first, direction.x);
        store(bundle_.numbers[4] + first, direction.y);
        store(bundle_.numbers[5] + first, direction.z);
        store(bundle_.surface + first, hit.surface);
        store(bundle_.pixel + first, pixel);
        store(bundle_.quanta + first, select(goes_on, rest, zero));
        // One vector late, as the absorbed light.
        if (incident_.bitmap != nullptr) incident_.add(field_);
        incident_.bitmap = bitmap + num_pixels_;
        TouchedPixels<Real> touched(field_.num_surfaces);
        deposit(hit,
                incident_on_map(hit, outcome.arriving),
                field_.filter,
                field_.bitmap_width,
                field_.bitmap_height,
                incident_,
                touched);
    }

    /// Follows the light of bundles, as soon as there are many rays or the block ends.
    HELIORAY_HD void end_bundle(const HeliostatRecord& h,
                                const BundleSequence& sequence,
                                bool ends_block,
                                BlockSums& sums,
                                int64_t* bitmap) {
        const uint64_t bundle = sequence.bundle();
        const auto low = static_cast<uint32_t>(bundle);
        const uint32_t high = static_cast<uint32_t>(bundle >> 32) << kLaneBits;
        for (int i = 0; i < kRaysPerPoint; ++i) {
            bundle_.low[i] = low;
            bundle_.high[i] = high + static_cast<uint32_t>(i);
        }
        const PhiloxWords<float> random =
            stream<float>(field_.seed, h.random_id, StreamTag::carrier, low, high);
        rays_[0].add_group(bundle_, 0, random.word[0], field_.rays_per_carrier);
        if (!ends_block && rays_[0].size() < ReflectedRays::kMany) return;
        follow(h.random_id, sums, bitmap);
        if (!ends_block) return;
        incident_.add(field_);
        incident_.bitmap = nullptr;
    }

    /// Reflected light may fall on every map.
    HELIORAY_HD void report_to(Tile& tile) const {
        const int32_t maps = 2 * field_.num_surfaces;
        tile.touch(0, maps * field_.bitmap_width * field_.bitmap_height - 1);
        for (int32_t i = 0; i < maps; ++i) tile.surfaces[i] = 1;
    }

  private:
    template <typename R>
    using IntOf = typename LaneTraits<R>::Int;

    template <typename R>
    HELIORAY_HD R bounces(const SurfaceHit<R>& hit) const {
        return surfaces_.optic(&SurfaceOptics::bounces, hit.surface, hit.across);
    }

    /// Returns what absorbers take of the quanta that reach their fronts.
    template <typename R>
    HELIORAY_HD IntOf<R> absorbed_part(const SurfaceHit<R>& hit, R cosine, IntOf<R> quanta) const {
        const R part = field_.absorptance_tables < 0
                           ? surfaces_.optic(&SurfaceOptics::absorptance, hit.surface, cosine)
                           : absorptance(field_, hit.surface, select(hit.mask, cosine, R(1.0f)));
        const auto absorbed = round_to_int(to_real(quanta, cosine) * part);
        // Counts above 2^24 are rounded, also upwards.
        return select(hit.mask, min_(absorbed, quanta), make_int(0, cosine));
    }

    /// Returns the absorbed quanta that count as power: all of them, except those of mirrors, which
    /// are added to their loss.
    template <typename R>
    HELIORAY_HD IntOf<R> counted_part(const SurfaceHit<R>& hit,
                                      IntOf<R> absorbed,
                                      BlockSums& sums) const {
        if (!has_mirrors_) return absorbed;
        const auto zero = make_int(0, hit.across);
        const auto lost = select(is_mirror(field_, hit.surface, hit.across), absorbed, zero);
        sums.reflected[kMirrorLossSum] += sum(lost);
        return absorbed - lost;
    }

    /// Returns the quanta on the first maps: what absorbers take, and all light on shields and
    /// mirrors.
    template <typename R>
    HELIORAY_HD IntOf<R> absorbed_on_map(const SurfaceHit<R>& hit,
                                         IntOf<R> arriving,
                                         IntOf<R> absorbed) const {
        typename LaneTraits<R>::Mask absorbs = hit.mask;
        if (has_mirrors_) absorbs = absorbs & !is_mirror(field_, hit.surface, hit.across);
        return select(absorbs, absorbed, incident_on_map(hit, arriving));
    }
    template <typename R>
    HELIORAY_HD static IntOf<R> incident_on_map(const SurfaceHit<R>& hit, IntOf<R> arriving) {
        return select(hit.front, arriving, make_int(0, hit.across));
    }

    /// Adds light to the maps of absorbed and of incident light. These rays are too few for
    /// PendingRays.
    template <typename R>
    HELIORAY_HD void add_to_maps(const SurfaceHit<R>& hit,
                                 IntOf<R> absorbed,
                                 IntOf<R> incident,
                                 int64_t* bitmap) const {
        constexpr int kWidth = LaneTraits<R>::kWidth;
        const int32_t width = field_.bitmap_width;
        const int32_t height = field_.bitmap_height;
        alignas(64) int32_t pixels[4][kWidth];
        alignas(64) int32_t parts[2][4][kWidth];
        int count = 1;
        if (field_.filter == FilterKind::box) {
            store(pixels[0], pixel_of_maps(hit, nearest_pixel(hit, width, height), width * height));
            store(parts[0][0], absorbed);
            store(parts[1][0], incident);
        } else {
            for (int k = 0; k < 2; ++k) {
                const PixelShares<R> shares =
                    bilinear_shares(hit, k == 0 ? absorbed : incident, width, height);
                count = shares.count;
                for (int i = 0; i < 4; ++i) {
                    store(pixels[i], pixel_of_maps(hit, shares.pixel[i], width * height));
                    store(parts[k][i], shares.quanta[i]);
                }
            }
        }
        int64_t* const maps[2] = {bitmap, bitmap + num_pixels_};
        for (int i = 0; i < count; ++i) {
            for (int l = 0; l < kWidth; ++l) {
                HELIORAY_ASSERT(pixels[i][l] >= 0 && pixels[i][l] < num_pixels_,
                                "a reflected ray's pixel is part of the bitmap");
                HELIORAY_ASSERT(parts[0][i][l] >= 0 && parts[1][i][l] >= 0,
                                "a reflected ray's quanta are a count");
                for (int k = 0; k < 2; ++k) maps[k][pixels[i][l]] += parts[k][i][l];
            }
        }
    }

    /// Absorbs light where rays have hit surfaces after the given number of reflections. Returns
    /// the quanta that are reflected again.
    template <typename R>
    HELIORAY_HD IntOf<R> absorb_reflected(const SurfaceHit<R>& hit,
                                          R cosine,
                                          IntOf<R> quanta,
                                          R reflections,
                                          BlockSums& sums,
                                          int64_t* bitmap) const {
        const auto zero = make_int(0, cosine);
        const auto absorbed = absorbed_part(hit, cosine, quanta);
        const auto rest = select(hit.mask, quanta - absorbed, zero);
        const auto goes_on = reflections < bounces(hit);
        sums.energy[kDeliveredSum] += sum(counted_part(hit, absorbed, sums));
        sums.reflected[kBounceLimitSum] += sum(select(goes_on, zero, rest));
        add_to_maps(
            hit, absorbed_on_map(hit, quanta, absorbed), incident_on_map(hit, quanta), bitmap);
        return select(goes_on, rest, zero);
    }

    /// Follows all rays until their light is absorbed or lost.
    HELIORAY_HD void follow(uint32_t random_id, BlockSums& sums, int64_t* bitmap) {
        constexpr int kWidth = LaneTraits<Lanes>::kWidth;
        const auto zero = make_int(0, Lanes());
        for (uint32_t bounce = 0; rays_[bounce % 2].size() > 0; ++bounce) {
            const auto tag =
                static_cast<StreamTag>(static_cast<uint32_t>(StreamTag::reflection) + bounce);
            ReflectedRays& rays = rays_[bounce % 2];
            const int count = rays.size();
            rays.darken_rest();
            alignas(64) uint32_t words[ReflectedRays::kCapacity];
            for (int first = 0; first < count; first += kWidth) {
                ReflectedLight<Lanes> light;
                rays.rows().read(first, light);
                const PhiloxWords<Lanes> random =
                    stream<Lanes>(field_.seed, random_id, tag, light.low, light.high);
                store(words + first, random.word[3]);
                const Vec<Lanes> normal =
                    surfaces_.settle(light.surface, light.pixel, light.direction, light.point);
                light.direction = reflected_direction(
                    light.direction,
                    normal,
                    surfaces_.optic(&SurfaceOptics::specular_fraction, light.surface, normal.x),
                    has_mirrors_
                        ? surfaces_.optic(&SurfaceOptics::slope_width, light.surface, normal.x)
                        : Lanes(0.0f),
                    random);
                SurfaceHit<Lanes> hit;
                surfaces_.meet(light.point, light.direction, light.surface, light.pixel, hit);
                keep_where(zero < light.quanta, hit);
                sums.reflected[kEscapedSum] += sum(select(hit.meets, zero, light.quanta));
                sums.reflected[kReflectedShieldSum] +=
                    sum(select(hit.mask, zero, select(hit.meets, light.quanta, zero)));
                light.point = add_scaled(
                    light.point, select(hit.meets, hit.distance, Lanes(0.0f)), light.direction);
                light.surface = hit.surface;
                light.pixel = needed_pixel(field_, hit);
                light.quanta = absorb_reflected(
                    hit,
                    incidence(hit.surface, light.pixel, light.point, light.direction),
                    light.quanta,
                    Lanes(static_cast<float>(bounce + 1)),
                    sums,
                    bitmap);
                rays.rows().write(first, light);
            }
            ReflectedRays& next = rays_[(bounce + 1) % 2];
            next.clear();
            for (int first = 0; first < count; first += kRaysPerPoint)
                next.add_group(rays.rows(), first, words[first], field_.rays_per_carrier);
            rays.clear();
        }
        // The next rays begin in the first of both.
        for (ReflectedRays& rays : rays_) rays.clear();
    }

    /// Returns the cosine of the angle of incidence at points of surfaces; 1 if no absorptance
    /// depends on it.
    template <typename R>
    HELIORAY_HD R
    incidence(IntOf<R> surface, IntOf<R> pixel, Vec<R> point, const Vec<R>& direction) const {
        if (field_.absorptance_tables < 0) return R(1.0f);
        return -dot(direction, surfaces_.settle(surface, pixel, direction, point));
    }

    const FieldView& field_;
    const int64_t num_pixels_;  ///< pixels of the maps of absorbed light
    ReflectingSurfaces surfaces_;
    const bool has_mirrors_;
    PendingRays<Real, true> incident_;     ///< incident light of the last vector of a bundle
    ReflectedRays rays_[2];                ///< rays before and after a reflection
    ReflectedRows<kRaysPerPoint> bundle_;  ///< rays of the present bundle
};

}  // namespace helioray::kernels
