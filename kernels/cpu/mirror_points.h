// SPDX-License-Identifier: MIT
// Where the bundles of blocks start: sequences and mirror points, one by one, or several at once in
// the lanes of Real.
#pragma once

#include "kernels/cpu/block_batch.h"
#include "kernels/random/sequence.h"
#include "kernels/surface/facet_point.h"

namespace helioray::kernels {

/// How many bundles a block has.
HELIORAY_HD int64_t bundles_of(int64_t rays_per_block) {
    return (rays_per_block + kRaysPerPoint - 1) / kRaysPerPoint;
}

/// What the rays of a block begin with.
struct BlockStart {
    BundleSequence sequence;  ///< at the first bundle
    RayContext context;
};

HELIORAY_HD BlockStart block_start(const FieldView& field,
                                   const HeliostatRecord& h,
                                   int64_t block,
                                   int64_t num_bundles) {
    return {{kSequenceTables, field.sampling, field.seed, h.random_id, block, num_bundles},
            ray_context(h)};
}

/// Points one by one, with what the way back needs.
struct SinglePoints {
    FacetPoint<float> local;  ///< the point found last, in its facet's frame

    HELIORAY_HD MirrorPoint find(const FieldView& field,
                                 const HeliostatRecord& h,
                                 const BundleSequence& sequence,
                                 int64_t) {
        float xi, eta;
        sequence.point(xi, eta);
        return mirror_point(field, h, xi, eta, local);
    }
};

/// Points of the blocks of a unit, in the order heliostat by heliostat, half by half. As many at
/// once as Real has lanes: the same points, bit by bit, at a fraction of the time, because a point
/// is one chain of dependent operations. Lanes are bundles of one block, or of several short ones.
template <typename Real>
class UnitPoints {
  public:
    HELIORAY_HD UnitPoints(const FieldView& field, const WorkUnit& unit)
        : field_(field),
          unit_(unit),
          num_bundles_(bundles_of(unit.rays_per_block)),
          has_short_blocks_(kWidth > 1 && num_bundles_ <= BlockBatch<Real>::kMostBundles) {}

    /// Begins the next block, that of `half` of heliostat `index` of the unit.
    HELIORAY_HD BlockStart begin(int32_t index, int half) {
        const HeliostatRecord& h = field_.heliostats[unit_.first_heliostat + index];
        const int64_t block = 2 * static_cast<int64_t>(unit_.pair) + half;
        if (has_short_blocks_) {
            const int32_t number = 2 * index + half;
            lane_ = number % kWidth;
            if (lane_ == 0) is_batched_ = batch_.fill(field_, unit_, num_bundles_, number);
            bundle_ = 0;
            if (is_batched_) {
                return {{kSequenceTables,
                         field_.sampling,
                         field_.seed,
                         h.random_id,
                         block,
                         num_bundles_,
                         batch_.shift(lane_)},
                        batch_.context(lane_)};
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
            // A batch costs as much as a few single points.
            if (bundles_left < kWidth / 4 || !has_facets_alike_) {
                float xi, eta;
                sequence.point(xi, eta);
                return mirror_point(field, h, xi, eta);
            }
            Real xi, eta;
            sequence.points(xi, eta);
            points_.keep(mirror_point(field, h, xi, eta));
            next_ = 0;
        }
        return points_.point(next_++);
    }

  private:
    static constexpr int kWidth = LaneTraits<Real>::kWidth;

    const FieldView& field_;
    const WorkUnit& unit_;
    const int64_t num_bundles_;

    // Short blocks: one in each lane.
    const bool has_short_blocks_;
    bool is_batched_ = false;
    int lane_ = 0;
    int64_t bundle_ = 0;
    BlockBatch<Real> batch_;

    // Long ones: a bundle in each lane.
    bool has_facets_alike_ = false;
    int next_ = kWidth;
    PointRows<kWidth> points_;
};

}  // namespace helioray::kernels
