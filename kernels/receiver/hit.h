// SPDX-License-Identifier: MIT
// Hits of rays on receivers of every shape, their adjoints, and their distance from the rim.
#pragma once

#include "kernels/core/trace_types.h"
#include "kernels/core/vec.h"

namespace helioray::kernels {

/// Distance by which flat surfaces reach over their edges, metres, so that no ray passes between
/// panels that share an edge. It is a few times the rounding of float32 for rays of two kilometres.
inline constexpr float kEdgeOverlap = 2e-4f;

/// A hit in coordinates of the unrolled surface for an observer facing its front.
template <typename Real>
struct TargetHit {
    typename LaneTraits<Real>::Mask mask;  ///< the ray hits the front
    Real across;                           ///< -1/2 (left edge) ... 1/2 (right edge), in widths
    Real up;                               ///< -1/2 (bottom) ... 1/2 (top), in heights
    Real distance;  ///< distance along the ray, metres; valid if `mask` is set
};

/// Returns the rays that end on the target, at the distance of the hit.
template <typename Real>
HELIORAY_HD auto ends(const TargetHit<Real>& hit) {
    return hit.mask;
}

/// Removes the hits of all other rays.
template <typename Real, typename Mask>
HELIORAY_HD void keep_where(Mask mask, TargetHit<Real>& hit) {
    hit.mask = hit.mask & mask;
}

/// Value of the loss's gradient at a hit, and its derivatives with respect to across and up.
template <typename Real>
struct GradientAtHit {
    Real value, by_across, by_up;
};

/// From (across, up) back to the point of the hit.
template <typename Real>
struct HitAdjoint {
    Vec<Real> point;   ///< derivative with respect to the point, per metre
    Vec<Real> normal;  ///< normal of the surface at the point, of any length
};

/// Distance of a hit from the nearest rim, metres on the surface, and its derivatives with respect
/// to across and up.
template <typename Real>
struct RimGap {
    Real gap, by_across, by_up;

    /// Replaces the rim by a nearer one.
    HELIORAY_HD void nearest(Real other, Real across, Real up) {
        const auto is_nearer = other < gap;
        gap = select(is_nearer, other, gap);
        by_across = select(is_nearer, across, by_across);
        by_up = select(is_nearer, up, by_up);
    }
};

}  // namespace helioray::kernels
