// SPDX-License-Identifier: MIT
// The spheres around what may stand in the way of a heliostat's light, side by side in lanes.
#pragma once

#include "kernels/core/macros.h"
#include "kernels/ray/occlusion.h"

namespace helioray::kernels {

/// Copied once for all bundles of a heliostat: its neighbours lie anywhere in memory. Real chooses
/// the lanes.
template <typename Real>
class CandidateSpheres {
  public:
    static constexpr int kWidth = LaneTraits<Real>::kWidth;
    static constexpr int32_t kCapacity = 64;

    /// Takes candidates [first, first + count) of the field, as many as there is room for.
    HELIORAY_HD void take(const FieldView& field, int64_t first, int32_t count) {
        const int32_t size = count < kCapacity ? count : kCapacity;
        for (int32_t i = 0; i < size; ++i) {
            const Occluder& occluder = field.occluders[field.candidates[first + i]];
            for (int k = 0; k < 3; ++k) numbers_[k][i] = occluder.center[k];
            numbers_[3][i] = occluder.radius;
        }
        size_ = size;
    }

    HELIORAY_HD int32_t size() const { return size_; }

    /// Bit l of the result: the cone may meet the sphere of candidate first + l. first: a multiple
    /// of kWidth.
    HELIORAY_HD uint32_t may_meet(const RayCone& cone, int32_t first) const {
        const int32_t left = size_ - first;
        const uint32_t all = left < kWidth ? (1u << left) - 1u : ~0u >> (32 - kWidth);
        if (cone.tangent < 0.0f) return all;
        const Vec<Real> center{row(0, first), row(1, first), row(2, first)};
        return all & lane_bits(may_meet_spheres(cone, center, row(3, first)));
    }

  private:
    HELIORAY_HD Real row(int k, int32_t first) const { return load(numbers_[k] + first, Real()); }

    int32_t size_ = 0;
    alignas(64) float numbers_[4][kCapacity] = {};
};

}  // namespace helioray::kernels
