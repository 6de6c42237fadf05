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
    Vec<Real> point;      ///< hit, shared frame
    Vec<Real> direction;  ///< unit direction of the light that arrives
    typename LaneTraits<Real>::Int surface;  ///< index into FieldView::surfaces
    typename LaneTraits<Real>::Int quanta;   ///< reflected power; 0 in empty lanes
    typename LaneTraits<Real>::Uint low, high;  ///< number of the ray among those of its heliostat
};

/// Collects the reflected rays of bundles.
///
/// Of every FieldView::rays_per_carrier consecutive rays of a bundle, one carries the reflected
/// light of all of them. It is chosen with the probability of its part, so that no light is lost and
/// every mean is the same; surfaces that absorb most of the light need fewer rays for the rest. The
/// choice depends on the bundle alone, not on the width of vectors.
template <typename Lanes>
class ReflectedRays {
  public:
    static constexpr int kWidth = LaneTraits<Lanes>::kWidth;

    /// Keeps the rays that start at lane `first` of the bundle. quanta: what goes on.
    template <typename Real>
    HELIORAY_HD void keep(int first,
                          const Vec<Real>& direction,
                          const SurfaceHit<Real>& hit,
                          typename LaneTraits<Real>::Int quanta) {
        store(direction_[0] + first, direction.x);
        store(direction_[1] + first, direction.y);
        store(direction_[2] + first, direction.z);
        store(distance_ + first, hit.distance);
        store(surface_ + first, hit.surface);
        store(quanta_ + first, quanta);
    }

    /// Ends the bundle of rays from a mirror point. bundle: its number among those of the heliostat.
    HELIORAY_HD void end_bundle(const FieldView& field,
                                uint32_t random_id,
                                uint64_t bundle,
                                const Vec<float>& mirror) {
        const int group = field.rays_per_carrier;
        const auto low = static_cast<uint32_t>(bundle);
        const uint32_t high = static_cast<uint32_t>(bundle >> 32) << kLaneBits;
        PhiloxWords<float> random{};
        for (int first = 0; first < kRaysPerPoint; first += group) {
            const int number = first / group;
            if (group > 1 && number % 4 == 0) {
                random = stream<float>(field.seed,
                                       random_id,
                                       StreamTag::carrier,
                                       low,
                                       high + static_cast<uint32_t>(number / 4));
            }
            int64_t all = 0;
            for (int i = first; i < first + group; ++i) all += quanta_[i];
            if (all == 0) continue;
            // The carrier is the first ray up to which more than this part of the light goes on.
            const auto drawn = static_cast<int64_t>(
                static_cast<uint64_t>(all) * random.word[number % 4] >> 32);
            int carrier = first;
            for (int64_t sum = quanta_[first]; sum <= drawn; sum += quanta_[carrier]) ++carrier;
            const float t = distance_[carrier];
            const float at[3] = {mirror.x, mirror.y, mirror.z};
            for (int k = 0; k < 3; ++k) {
                rows_[k][size_] = fma_(t, direction_[k][carrier], at[k]);
                rows_[3 + k][size_] = direction_[k][carrier];
            }
            words_[0][size_] = static_cast<uint32_t>(surface_[carrier]);
            words_[1][size_] = static_cast<uint32_t>(all);
            words_[2][size_] = low;
            words_[3][size_] = high + static_cast<uint32_t>(carrier);
            ++size_;
        }
    }

    HELIORAY_HD bool is_empty() const { return size_ == 0; }
    HELIORAY_HD bool fills_vector() const { return size_ >= kWidth; }

    /// Removes the last rays, as many as a vector holds, and returns them.
    HELIORAY_HD ReflectedLight<Lanes> take() {
        const int first = size_ < kWidth ? 0 : size_ - kWidth;
        for (int i = size_; i < first + kWidth; ++i) words_[1][i] = 0;
        const auto row = [&](int k) { return load(rows_[k] + first, Lanes()); };
        const auto word = [&](int k) { return load(words_[k] + first, Lanes()); };
        size_ = first;
        return {{row(0), row(1), row(2)},
                {row(3), row(4), row(5)},
                bits_of(word(0)),
                bits_of(word(1)),
                word(2),
                word(3)};
    }

  private:
    static constexpr int kCapacity = kRaysPerPoint + kWidth;

    // Rays of the present bundle, by lane.
    alignas(64) float direction_[3][kRaysPerPoint] = {};
    alignas(64) float distance_[kRaysPerPoint] = {};
    alignas(64) int32_t surface_[kRaysPerPoint] = {};
    alignas(64) int32_t quanta_[kRaysPerPoint] = {};

    // Queue of carriers: points and directions; surface, quanta and numbers.
    int size_ = 0;
    alignas(64) float rows_[6][kCapacity] = {};
    alignas(64) uint32_t words_[4][kCapacity] = {};
};

/// Policy of blocks whose surfaces reflect a part of the light, which is followed from surface to
/// surface. The maps of incident light follow those of the absorbed light.
template <typename Real>
class Reflection {
  public:
    using Int = typename LaneTraits<Real>::Int;
    using Lanes = typename SingleLanes<Real>::Type;

    HELIORAY_HD Reflection(const FieldView& field, int64_t num_pixels)
        : field_(field), num_pixels_(num_pixels), surfaces_(field) {}

    HELIORAY_HD static Int on_map(const RayOutcome<Real, SurfaceHit<Real>>& outcome) {
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
        Real cosine(1.0f);
        if (field_.absorptance_tables >= 0) {
            Vec<Real> point = add_scaled(broadcast<Real>(mirror.position),
                                         select(hit.meets, hit.distance, Real(0.0f)),
                                         direction);
            cosine = -dot(direction, surfaces_.settle(hit.surface, point));
        }
        const Int before = outcome.quanta[kDeliveredSum];
        const Int absorbed = absorbed_part(hit, cosine, before);
        outcome.quanta[kDeliveredSum] = absorbed;
        const typename LaneTraits<Real>::Mask goes_on = hit.mask & (Real(0.0f) < bounces(hit));
        const Int rest = before - absorbed;
        sums.reflected[kBounceLimitSum] += sum(select(goes_on, zero, rest));
        rays_.keep(first, direction, hit, select(goes_on, rest, zero));
        add_to_map(hit, incident_on_map(hit, outcome.arriving), bitmap + num_pixels_);
    }

    /// Follows the light of a bundle, as soon as vectors are full or the block ends.
    HELIORAY_HD void end_bundle(const HeliostatRecord& h,
                                const BundleSequence& sequence,
                                const MirrorPoint& mirror,
                                bool ends_block,
                                BlockSums& sums,
                                int64_t* bitmap) {
        rays_.end_bundle(field_, h.random_id, sequence.bundle(), mirror.position);
        while (rays_.fills_vector() || (ends_block && !rays_.is_empty()))
            follow(h.random_id, rays_.take(), sums, bitmap);
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
        return of_surface(field_.surfaces[0].optics.bounces, hit.surface, hit.across);
    }

    /// Returns what absorbers take of the quanta that reach their fronts.
    template <typename R>
    HELIORAY_HD IntOf<R> absorbed_part(const SurfaceHit<R>& hit,
                                       R cosine,
                                       IntOf<R> quanta) const {
        const R part = absorptance(field_, hit.surface, select(hit.mask, cosine, R(1.0f)));
        const auto absorbed = round_to_int(to_real(quanta, cosine) * part);
        // Counts above 2^24 are rounded, also upwards.
        return select(hit.mask, min_(absorbed, quanta), make_int(0, cosine));
    }

    /// Returns the quanta on the first maps: what absorbers take, and all light on shields.
    template <typename R>
    HELIORAY_HD static IntOf<R> absorbed_on_map(const SurfaceHit<R>& hit,
                                                IntOf<R> arriving,
                                                IntOf<R> absorbed) {
        return select(hit.mask, absorbed, incident_on_map(hit, arriving));
    }
    template <typename R>
    HELIORAY_HD static IntOf<R> incident_on_map(const SurfaceHit<R>& hit, IntOf<R> arriving) {
        return select(hit.front, arriving, make_int(0, hit.across));
    }

    /// Adds light to the maps that begin at `maps`. These rays are too few for PendingRays.
    template <typename R>
    HELIORAY_HD void add_to_map(const SurfaceHit<R>& hit, IntOf<R> quanta, int64_t* maps) const {
        constexpr int kWidth = LaneTraits<R>::kWidth;
        const int32_t width = field_.bitmap_width;
        const int32_t height = field_.bitmap_height;
        alignas(64) int32_t pixels[4][kWidth];
        alignas(64) int32_t parts[4][kWidth];
        int count = 1;
        if (field_.filter == FilterKind::box) {
            store(pixels[0], pixel_of_maps(hit, nearest_pixel(hit, width, height), width * height));
            store(parts[0], quanta);
        } else {
            const PixelShares<R> shares = bilinear_shares(hit, quanta, width, height);
            count = shares.count;
            for (int i = 0; i < 4; ++i) {
                store(pixels[i], pixel_of_maps(hit, shares.pixel[i], width * height));
                store(parts[i], shares.quanta[i]);
            }
        }
        for (int i = 0; i < count; ++i) {
            for (int l = 0; l < kWidth; ++l) {
                HELIORAY_ASSERT(pixels[i][l] >= 0 && pixels[i][l] < num_pixels_,
                                "a reflected ray's pixel is part of the bitmap");
                HELIORAY_ASSERT(parts[i][l] >= 0, "a reflected ray's quanta are a count");
                maps[pixels[i][l]] += parts[i][l];
            }
        }
    }

    /// Absorbs light where rays have hit surfaces after the given number of reflections. Returns the
    /// quanta that are reflected again.
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
        sums.energy[kDeliveredSum] += sum(absorbed);
        sums.reflected[kBounceLimitSum] += sum(select(goes_on, zero, rest));
        const IntOf<R> light[2] = {absorbed_on_map(hit, quanta, absorbed),
                                   incident_on_map(hit, quanta)};
        for (int k = 0; k < 2; ++k) add_to_map(hit, light[k], bitmap + k * num_pixels_);
        return select(goes_on, rest, zero);
    }

    /// Follows rays until their light is absorbed or lost.
    HELIORAY_HD void follow(uint32_t random_id,
                            ReflectedLight<Lanes> light,
                            BlockSums& sums,
                            int64_t* bitmap) {
        const auto zero = make_int(0, Lanes());
        SurfaceHit<Lanes> hit;
        for (uint32_t bounce = 0;; ++bounce) {
            const Vec<Lanes> normal = surfaces_.settle(light.surface, light.point);
            if (bounce > 0) {
                light.quanta = absorb_reflected(hit,
                                                -dot(light.direction, normal),
                                                light.quanta,
                                                Lanes(static_cast<float>(bounce)),
                                                sums,
                                                bitmap);
            }
            const auto is_lit = zero < light.quanta;
            if (!any(is_lit)) return;
            const auto tag =
                static_cast<StreamTag>(static_cast<uint32_t>(StreamTag::reflection) + bounce);
            light.direction = reflected_direction(
                light.direction,
                normal,
                of_surface(field_.surfaces[0].optics.specular_fraction, light.surface, normal.x),
                stream<Lanes>(field_.seed, random_id, tag, light.low, light.high));
            surfaces_.meet(light.point, light.direction, light.surface, hit);
            keep_where(is_lit, hit);
            sums.reflected[kEscapedSum] += sum(select(hit.meets, zero, light.quanta));
            sums.reflected[kReflectedShieldSum] +=
                sum(select(hit.mask, zero, select(hit.meets, light.quanta, zero)));
            light.point = add_scaled(
                light.point, select(hit.meets, hit.distance, Lanes(0.0f)), light.direction);
            light.surface = hit.surface;
        }
    }

    const FieldView& field_;
    const int64_t num_pixels_;  ///< pixels of the maps of absorbed light
    ReflectingSurfaces surfaces_;
    ReflectedRays<Lanes> rays_;
};

}  // namespace helioray::kernels
