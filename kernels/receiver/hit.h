// SPDX-License-Identifier: MIT
// What receivers of every shape say about a ray: where it meets them, and the way back from there.
#pragma once

#include "kernels/core/trace_types.h"
#include "kernels/core/vec.h"

namespace helioray::kernels {

/// A hit in coordinates of the unrolled surface as an observer facing its front sees it.
template <typename Real>
struct TargetHit {
    typename LaneTraits<Real>::Mask mask;  ///< the ray meets the front
    Real across;                           ///< -1/2 (left edge) ... 1/2 (right edge), in widths
    Real up;                               ///< -1/2 (bottom) ... 1/2 (top), in heights
    Real distance;                         ///< metres along the ray; meaningful where mask is set
};

/// Value of the loss's gradient at a hit, and its derivatives with respect to across and up.
template <typename Real>
struct GradientAtHit {
    Real value, by_across, by_up;
};

/// From (across, up) back to the point of the hit.
template <typename Real>
struct HitAdjoint {
    Vec<Real> point;   ///< derivative with respect to the point, per metre
    Vec<Real> normal;  ///< of the surface there; its length does not count
};

}  // namespace helioray::kernels
