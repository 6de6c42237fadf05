// SPDX-License-Identifier: MIT
// Light that the surfaces of receivers reflect, followed from surface to surface in full vectors.
#pragma once

#include "kernels/core/lane_pair.h"
#include "kernels/cpu/deposits.h"
#include "kernels/cpu/set_functions.h"
#include "kernels/ray/path.h"
#include "kernels/ray/reflected_rows.h"
#include "kernels/ray/reflection.h"

namespace helioray::kernels {

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
    static constexpr int kMany = kManyReflected;
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
        for (CarrierParts parts(total, lit, rays_per_carrier); parts.left > 0; parts.advance()) {
            const uint32_t part = parts.size();
            const uint32_t position = parts.position(random);
            int ray = 0;
            for (const uint32_t end : ends) ray += end <= position ? 1 : 0;
            if (part > 0) rows_.copy(from, first + ray, size_++, static_cast<int32_t>(part));
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
          tables_(field, groups),
          surfaces_(field, groups, tables_),
          incident_(nullptr, num_pixels, tile.is_large) {}

    /// Returns the light of the last absorb() on the maps of absorbed light.
    HELIORAY_HD Int on_map(const RayOutcome<Real, SurfaceHit<Real>>&) const { return on_map_; }

    /// Divides the rays that start at lane `first` of a bundle into absorbed and reflected light.
    HELIORAY_HD void absorb(const MirrorPoint& mirror,
                            int first,
                            RayOutcome<Real, SurfaceHit<Real>>& outcome,
                            BlockSums& sums,
                            int64_t* bitmap) {
        const SurfaceHit<Real>& hit = outcome.path.hit;
        const Vec<Real>& direction = outcome.path.reflected;
        const Vec<Real> point = add_scaled(broadcast<Real>(mirror.position),
                                           select(hit.meets, hit.distance, Real(0.0f)),
                                           direction);
        const Int pixel = needed_pixel(field_, hit);
        const DividedLight<Real> light =
            divide(hit, pixel, point, direction, outcome.arriving, Real(0.0f), sums);
        outcome.quanta[kDeliveredSum] = light.counted;
        on_map_ = light.on_map;
        store(bundle_.numbers[0] + first, point.x);
        store(bundle_.numbers[1] + first, point.y);
        store(bundle_.numbers[2] + first, point.z);
        store(bundle_.numbers[3] + first, direction.x);
        store(bundle_.numbers[4] + first, direction.y);
        store(bundle_.numbers[5] + first, direction.z);
        store(bundle_.surface + first, hit.surface);
        store(bundle_.pixel + first, pixel);
        store(bundle_.quanta + first, light.goes_on);
        // One vector late, as the absorbed light.
        if (incident_.bitmap != nullptr) incident_.add(field_);
        incident_.bitmap = bitmap + num_pixels_;
        TouchedPixels<Real> touched(field_.num_surfaces);
        deposit(hit,
                light.incident,
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

    /// Divides the light that arrives at points of surfaces, and adds what is lost to the sums.
    template <typename R>
    HELIORAY_HD DividedLight<R> divide(const SurfaceHit<R>& hit,
                                       IntOf<R> pixel,
                                       const Vec<R>& point,
                                       const Vec<R>& direction,
                                       IntOf<R> arriving,
                                       R reflections,
                                       BlockSums& sums) const {
        const R cosine = incidence(field_, surfaces_, hit.surface, pixel, point, direction);
        const DividedLight<R> light =
            divide_light(field_, surfaces_, hit, cosine, arriving, reflections);
        if (any(make_int(0, cosine) < light.left))
            sums.reflected[kBounceLimitSum] += sum(light.left);
        if (tables_.has_mirrors) sums.reflected[kMirrorLossSum] += sum(light.lost);
        return light;
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

    /// Follows all rays until their light is absorbed or lost.
    HELIORAY_HD void follow(uint32_t random_id, BlockSums& sums, int64_t* bitmap) {
        constexpr int kWidth = LaneTraits<Lanes>::kWidth;
        const auto zero = make_int(0, Lanes());
        for (uint32_t bounce = 0; rays_[bounce % 2].size() > 0; ++bounce) {
            const StreamTag tag = reflection_tag(bounce);
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
                reflect(surfaces_, random, light);
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
                const DividedLight<Lanes> divided = divide(hit,
                                                           light.pixel,
                                                           light.point,
                                                           light.direction,
                                                           light.quanta,
                                                           Lanes(static_cast<float>(bounce + 1)),
                                                           sums);
                sums.energy[kDeliveredSum] += sum(divided.counted);
                add_to_maps(hit, divided.on_map, divided.incident, bitmap);
                light.quanta = divided.goes_on;
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

    const FieldView& field_;
    const int64_t num_pixels_;  ///< pixels of the maps of absorbed light
    Int on_map_{};              ///< light of the last vector on these maps
    const ReflectingTables tables_;
    const ReflectingSurfaces surfaces_;
    PendingRays<Real, true> incident_;     ///< incident light of the last vector of a bundle
    ReflectedRays rays_[2];                ///< rays before and after a reflection
    ReflectedRows<kRaysPerPoint> bundle_;  ///< rays of the present bundle
};

}  // namespace helioray::kernels
