// SPDX-License-Identifier: MIT
// Mirror points of the bundles of a block: one by one, or several at once in the lanes of Real.
#pragma once

#include "kernels/random/sequence.h"
#include "kernels/surface/facet_point.h"

namespace helioray::kernels {

/// One by one, with what the way back needs.
struct SinglePoints {
    FacetPoint<float> local;  ///< the point found last, in its facet's frame

    HELIORAY_HD SinglePoints(const FieldView&, const HeliostatRecord&) {}
    HELIORAY_HD MirrorPoint find(const FieldView& field,
                                 const HeliostatRecord& h,
                                 const BundleSequence& sequence,
                                 int64_t) {
        float xi, eta;
        sequence.point(xi, eta);
        return mirror_point(field, h, xi, eta, local);
    }
};

/// As many at once as Real has lanes: the same points, bit by bit, at a fraction of the time,
/// because a point is one chain of dependent operations.
template <typename Real>
class BatchedPoints {
  public:
    HELIORAY_HD BatchedPoints(const FieldView& field, const HeliostatRecord& h)
        : alike_(has_facets_alike(field, h)) {}

    HELIORAY_HD MirrorPoint find(const FieldView& field,
                                 const HeliostatRecord& h,
                                 const BundleSequence& sequence,
                                 int64_t bundles_left) {
        if (next_ == kWidth) {
            // A batch costs as much as a few single points.
            if (bundles_left < kWidth / 4 || !alike_) {
                float xi, eta;
                sequence.point(xi, eta);
                return mirror_point(field, h, xi, eta);
            }
            fill(field, h, sequence);
        }
        const int i = next_++;
        return {vector(0, i), vector(3, i), vector(6, i), vector(9, i), numbers_[12][i]};
    }

  private:
    static constexpr int kWidth = LaneTraits<Real>::kWidth;

    HELIORAY_HD void fill(const FieldView& field,
                          const HeliostatRecord& h,
                          const BundleSequence& sequence) {
        Real xi, eta;
        sequence.points(xi, eta);
        const BasicMirrorPoint<Real> point = mirror_point(field, h, xi, eta);
        keep(0, point.position);
        keep(3, point.normal);
        keep(6, point.tangent_e);
        keep(9, point.tangent_n);
        store(numbers_[12], point.residual);
        next_ = 0;
    }
    HELIORAY_HD void keep(int row, const Vec<Real>& v) {
        store(numbers_[row], v.x);
        store(numbers_[row + 1], v.y);
        store(numbers_[row + 2], v.z);
    }
    HELIORAY_HD Vec<float> vector(int row, int i) const {
        return {numbers_[row][i], numbers_[row + 1][i], numbers_[row + 2][i]};
    }

    const bool alike_;
    int next_ = kWidth;
    alignas(64) float numbers_[13][kWidth];
};

}  // namespace helioray::kernels
