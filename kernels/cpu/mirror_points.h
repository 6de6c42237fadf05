// SPDX-License-Identifier: MIT
// Starting values of bundles and blocks: sequences and mirror points, one by one, or several at
// once in the lanes of Real; blocks of few bundles are combined.
#pragma once

#include "kernels/core/assert.h"
#include "kernels/ray/path.h"

namespace helioray::kernels {

/// Rows of numbers: a vector occupies three rows and has one element in each column.
template <int kRows, int kWidth>
class NumberRows {
  public:
    template <typename Real>
    HELIORAY_HD void set(int row, const Real& x) {
        store(numbers_[row], x);
    }
    template <typename Real>
    HELIORAY_HD void set(int row, const Vec<Real>& v) {
        store(numbers_[row], v.x);
        store(numbers_[row + 1], v.y);
        store(numbers_[row + 2], v.z);
    }
    HELIORAY_HD float number(int row, int i) const { return numbers_[row][i]; }
    HELIORAY_HD Vec<float> vector(int row, int i) const {
        return {numbers_[row][i], numbers_[row + 1][i], numbers_[row + 2][i]};
    }

  private:
    alignas(64) float numbers_[kRows][kWidth];
};

/// A mirror point in each column.
template <int kWidth>
class PointRows {
  public:
    template <typename Real>
    HELIORAY_HD void set(const BasicMirrorPoint<Real>& point) {
        rows_.set(0, point.position);
        rows_.set(3, point.normal);
        rows_.set(6, point.tangent_e);
        rows_.set(9, point.tangent_n);
        rows_.set(12, point.residual);
    }
    HELIORAY_HD MirrorPoint point(int i) const {
        return {rows_.vector(0, i),
                rows_.vector(3, i),
                rows_.vector(6, i),
                rows_.vector(9, i),
                rows_.number(12, i)};
    }

  private:
    NumberRows<13, kWidth> rows_;
};

/// A block of a unit in each lane of Real: halves 0 and 1 of its first heliostat, of its second and
/// so on. Numbers and points are bitwise equal to those computed one by one.
template <typename Real>
class BlockBatch {
  public:
    static constexpr int kWidth = LaneTraits<Real>::kWidth;
    /// Longer blocks fill the lanes themselves.
    static constexpr int64_t kMostBundles = 8;

    /// Fills the lanes with the blocks of the unit from `first` on (heliostat first / 2); returns
    /// false if the heliostats' facets are not alike.
    HELIORAY_HD bool fill(const FieldView& field,
                          const WorkUnit& unit,
                          int64_t num_bundles,
                          int32_t first) {
        HELIORAY_ASSERT(num_bundles <= kMostBundles, "blocks of a batch are short");
        const HeliostatRecord* heliostats = field.heliostats + unit.first_heliostat;
        const HeliostatRecord& h = heliostats[first / 2];
        uint32_t ids[kWidth];
        uint32_t words[kWidth];
        uint32_t facet_words[kWidth];
        for (int lane = 0; lane < kWidth; ++lane) {
            // Lanes past the last block repeat its heliostat.
            const int32_t i = min_((first + lane) / 2, unit.num_heliostats - 1);
            const HeliostatRecord& other = heliostats[i];
            if (lane % 2 == 0 && !have_facets_alike(field, h, other)) return false;
            ids[lane] = other.random_id;
            words[lane] = static_cast<uint32_t>(i - first / 2) *
                          static_cast<uint32_t>(sizeof(HeliostatRecord) / 4);
            facet_words[lane] = static_cast<uint32_t>(other.first_facet - h.first_facet) *
                                static_cast<uint32_t>(sizeof(FacetRecord) / 4);
        }
        const HeliostatLanes<Real> lanes{h, as_int(words), as_int(facet_words)};
        const float(&sun)[3] = h.sun_direction;
        const Vec<Real> directions = make_vector(lanes, sun[0], sun[1], sun[2]);
        Vec<Real> t1, t2;
        tangent_basis(directions, t1, t2);
        contexts_.set(0, directions);
        contexts_.set(3, t1);
        contexts_.set(6, t2);
        const Uint id = load(ids, Real());
        Uint state[kDimensions];
        if (field.sampling == SamplingKind::sobol) draw_shifts(field, unit, id, state);
        for (int64_t bundle = 0; bundle < num_bundles; ++bundle) {
            if (field.sampling == SamplingKind::random)
                draw_bundle(field, unit, id, num_bundles, bundle, state);
            const Real xi = unit_interval(state[0], Real());
            const Real eta = unit_interval(state[1], Real());
            FacetPoint<Real> local;
            points_[bundle].set(compute_points(field, lanes, xi, eta, local));
            if (field.sampling == SamplingKind::random) continue;
            const int zeros = trailing_zeros(static_cast<uint32_t>(bundle) + 1);
            for (int d = 0; d < kPointDimensions; ++d)
                state[d] = state[d] ^ make_uint(kSequenceTables.step[d][zeros], Real());
        }
        return true;
    }

    /// Shifts of the block in a lane.
    HELIORAY_HD const uint32_t (&shift(int lane) const)[kDimensions] { return shifts_[lane]; }
    /// Returns the values that the rays of the block share. h: heliostat of the block.
    HELIORAY_HD RayContext context(int lane, const HeliostatRecord& h) const {
        return {contexts_.vector(0, lane),
                contexts_.vector(3, lane),
                contexts_.vector(6, lane),
                &h.optics};
    }
    /// Returns the mirror point of a bundle of the block.
    HELIORAY_HD MirrorPoint point(int lane, int64_t bundle) const {
        return points_[bundle].point(lane);
    }

  private:
    using Int = typename LaneTraits<Real>::Int;
    using Uint = typename LaneTraits<Real>::Uint;

    static HELIORAY_HD Int as_int(const uint32_t (&values)[kWidth]) {
        return bits_of(load(values, Real()));
    }

    HELIORAY_HD void draw_shifts(const FieldView& field,
                                 const WorkUnit& unit,
                                 const Uint& id,
                                 Uint (&state)[kDimensions]) {
        uint32_t low[kWidth];
        const uint64_t first_word = 4 * static_cast<uint64_t>(unit.pair);
        for (int lane = 0; lane < kWidth; ++lane)
            low[lane] = static_cast<uint32_t>(first_word) + 2 * static_cast<uint32_t>(lane % 2);
        block_shifts<Real>(field.seed,
                           id,
                           load(low, Real()),
                           make_uint(static_cast<uint32_t>(first_word >> 32), Real()),
                           state);
        for (int d = 0; d < kDimensions; ++d) {
            uint32_t words[kWidth];
            store(words, state[d]);
            for (int lane = 0; lane < kWidth; ++lane) shifts_[lane][d] = words[lane];
        }
    }

    static HELIORAY_HD void draw_bundle(const FieldView& field,
                                        const WorkUnit& unit,
                                        const Uint& id,
                                        int64_t num_bundles,
                                        int64_t bundle,
                                        Uint (&state)[kDimensions]) {
        uint32_t low[kWidth];
        uint32_t high[kWidth];
        for (int lane = 0; lane < kWidth; ++lane) {
            const uint64_t block = 2 * static_cast<uint64_t>(unit.pair) + lane % 2;
            const uint64_t index =
                block * static_cast<uint64_t>(num_bundles) + static_cast<uint64_t>(bundle);
            low[lane] = static_cast<uint32_t>(index);
            high[lane] = static_cast<uint32_t>(index >> 32);
        }
        const PhiloxWords<Real> words = stream_of_lanes<Real>(
            field.seed, id, StreamTag::bundle, load(low, Real()), load(high, Real()));
        state[0] = words.word[0];
        state[1] = words.word[1];
    }

    uint32_t shifts_[kWidth][kDimensions] = {};
    NumberRows<9, kWidth> contexts_;
    PointRows<kWidth> points_[kMostBundles];
};

/// Returns the number of bundles of a block.
HELIORAY_HD int64_t count_bundles(int64_t rays_per_block) {
    return (rays_per_block + kRaysPerPoint - 1) / kRaysPerPoint;
}

/// Starting values of a block's rays.
struct BlockStart {
    BundleSequence sequence;  ///< sequence at the first bundle
    RayContext context;
};

HELIORAY_HD BlockStart block_start(const FieldView& field,
                                   const HeliostatRecord& h,
                                   int64_t block,
                                   int64_t num_bundles) {
    return {{kSequenceTables, field.sampling, field.seed, h.random_id, block, num_bundles},
            ray_context(h)};
}

/// Computes points one by one, with the values that the backward pass needs.
struct SinglePoints {
    FacetPoint<float> local;  ///< most recent point in its facet's frame

    HELIORAY_HD MirrorPoint find(const FieldView& field,
                                 const HeliostatRecord& h,
                                 const BundleSequence& sequence,
                                 int64_t) {
        float xi, eta;
        sequence.point(xi, eta);
        return out_of_line([ this, &field, &h, xi, eta ]() __attribute__((always_inline)) {
            return mirror_point(field, h, xi, eta, local);
        });
    }
};

/// Computes the points of the blocks of a unit, heliostat by heliostat, half by half. It computes
/// as many points at once as Real has lanes, with bitwise equal results in a fraction of the time,
/// because a point is a single chain of dependent operations. Lanes are bundles of one block, or of
/// several short blocks.
template <typename Real>
class UnitPoints {
  public:
    HELIORAY_HD UnitPoints(const FieldView& field, const WorkUnit& unit)
        : field_(field),
          unit_(unit),
          num_bundles_(count_bundles(unit.rays_per_block)),
          has_short_blocks_(kWidth > 1 && num_bundles_ <= BlockBatch<Real>::kMostBundles) {}

    /// Starts the next block, that of `half` of heliostat `index` of the unit.
    HELIORAY_HD BlockStart begin(int32_t index, int half) {
        const HeliostatRecord& h = field_.heliostats[unit_.first_heliostat + index];
        const int64_t block = 2 * static_cast<int64_t>(unit_.pair) + half;
        if (has_short_blocks_) {
            const int32_t number = 2 * index + half;
            lane_ = number % kWidth;
            if (lane_ == 0)
                is_batched_ = out_of_line([&]() __attribute__((always_inline)) {
                    return batch_.fill(field_, unit_, num_bundles_, number);
                });
            bundle_ = 0;
            if (is_batched_) {
                return {{kSequenceTables,
                         field_.sampling,
                         field_.seed,
                         h.random_id,
                         block,
                         num_bundles_,
                         batch_.shift(lane_)},
                        batch_.context(lane_, h)};
            }
        }
        next_ = kWidth;
        has_facets_alike_ = has_facets_alike(field_, h);
        return block_start(field_, h, block, num_bundles_);
    }

    HELIORAY_HD MirrorPoint find(const FieldView& field,
                                 const HeliostatRecord& h,
                                 const BundleSequence& sequence,
                                 int64_t bundles_left) {
        if (is_batched_) return batch_.point(lane_, bundle_++);
        if (next_ == kWidth) {
            // A batch is as expensive as a few single points.
            if (bundles_left < kWidth / 4 || !has_facets_alike_) {
                float xi, eta;
                sequence.point(xi, eta);
                return out_of_line([&field, &h, xi, eta ]() __attribute__((always_inline)) {
                    return mirror_point(field, h, xi, eta);
                });
            }
            Real xi, eta;
            sequence.points(xi, eta);
            out_of_line([ this, &field, &h, &xi, &eta ]() __attribute__((always_inline)) {
                points_.set(mirror_point(field, h, xi, eta));
            });
            next_ = 0;
        }
        return points_.point(next_++);
    }

  private:
    static constexpr int kWidth = LaneTraits<Real>::kWidth;

    const FieldView& field_;
    const WorkUnit& unit_;
    const int64_t num_bundles_;

    // Short blocks are processed together, one per lane.
    const bool has_short_blocks_;
    bool is_batched_ = false;
    int lane_ = 0;
    int64_t bundle_ = 0;
    BlockBatch<Real> batch_;

    // Long blocks are processed with one bundle per lane.
    bool has_facets_alike_ = false;
    int next_ = kWidth;
    PointRows<kWidth> points_;
};

}  // namespace helioray::kernels
