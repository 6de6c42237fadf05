// SPDX-License-Identifier: MIT
// Hits of rays on the surfaces of receivers.
#pragma once

#include "kernels/receiver/hit.h"

namespace helioray::kernels {

/// The nearest surface that rays meet. `mask` is set if it is the front of an absorber.
template <typename Real>
struct SurfaceHit : TargetHit<Real> {
    using Mask = typename LaneTraits<Real>::Mask;
    Mask meets;                              ///< the ray meets a surface, from either side
    Mask front;                              ///< the ray meets the front of the surface
    typename LaneTraits<Real>::Int surface;  ///< index into FieldView::surfaces, 0 for misses
};

/// Removes all hits.
template <typename Real>
HELIORAY_HD void clear(SurfaceHit<Real>& hit) {
    const Real zero(0.0f);
    hit.distance = Real(kNoLimit);
    hit.across = hit.up = zero;
    hit.mask = hit.meets = hit.front = Real(1.0f) < zero;
    hit.surface = make_int(0, zero);
}

/// Replaces hits by those of other surfaces where these are nearer. front: rays that meet their
/// fronts.
template <typename Real>
HELIORAY_HD void keep_nearer(const TargetHit<Real>& other,
                             typename LaneTraits<Real>::Mask front,
                             bool is_absorber,
                             typename LaneTraits<Real>::Int surface,
                             SurfaceHit<Real>& hit) {
    const auto nearer = other.mask & (other.distance < hit.distance);
    hit.distance = select(nearer, other.distance, hit.distance);
    hit.across = select(nearer, other.across, hit.across);
    hit.up = select(nearer, other.up, hit.up);
    hit.surface = select(nearer, surface, hit.surface);
    hit.meets = hit.meets | nearer;
    hit.front = (hit.front & !nearer) | (front & nearer);
    hit.mask = hit.mask & !nearer;
    if (is_absorber) hit.mask = hit.mask | (front & nearer);
}

/// Returns the rays that end on a receiver, at the distance of the hit.
template <typename Real>
HELIORAY_HD auto ends(const SurfaceHit<Real>& hit) {
    return hit.meets;
}

/// Removes the hits of all other rays.
template <typename Real, typename Mask>
HELIORAY_HD void keep_where(Mask mask, SurfaceHit<Real>& hit) {
    hit.mask = hit.mask & mask;
    hit.meets = hit.meets & mask;
    hit.front = hit.front & mask;
}

}  // namespace helioray::kernels
