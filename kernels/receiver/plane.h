// SPDX-License-Identifier: MIT
// A flat rectangle as receiver: x to the right, y up, z along the normal.
#pragma once

#include "kernels/receiver/hit.h"

namespace helioray::kernels {

/// Returns the record of a rectangle of width x height metres.
inline TargetRecord plane_record(double width, double height) {
    TargetRecord record{};
    record.kind = TargetKind::plane;
    record.width = static_cast<float>(width);
    record.height = static_cast<float>(height);
    return record;
}

/// Intersects rays from o along r with the plane of the receiver. The mask is set for rays that
/// come from its front: against the normal, from an origin in front of the plane.
template <typename Real>
HELIORAY_HD void meet_plane(const TargetRecord& target,
                            const Vec<Real>& o,
                            const Vec<Real>& r,
                            TargetHit<Real>& hit) {
    hit.mask = (r.z < Real(0.0f)) & (o.z > Real(0.0f));
    hit.distance = -o.z / r.z;
    hit.across = fma_(hit.distance, r.x, o.x) * Real(1.0f / target.width);
    hit.up = fma_(hit.distance, r.y, o.y) * Real(1.0f / target.height);
}

/// Intersects a rectangle and sets `hit`.
template <typename Real>
HELIORAY_HD void intersect_plane(const TargetRecord& target,
                                 const Vec<Real>& o,
                                 const Vec<Real>& r,
                                 TargetHit<Real>& hit) {
    meet_plane(target, o, r, hit);
    hit.mask = hit.mask & (abs_(hit.across) <= Real(0.5f)) & (abs_(hit.up) <= Real(0.5f));
}

/// Adjoint of a hit anywhere on the plane.
template <typename Real>
HELIORAY_HD HitAdjoint<Real> plane_adjoint(const TargetRecord& target,
                                           const GradientAtHit<Real>& g) {
    const Real zero(0.0f);
    return {{g.by_across * Real(1.0f / target.width), g.by_up * Real(1.0f / target.height), zero},
            {zero, zero, Real(1.0f)}};
}

/// Adds the rims at the top and the bottom of the map.
template <typename Real>
HELIORAY_HD void add_level_rims(const TargetRecord& target,
                                const TargetHit<Real>& hit,
                                RimGap<Real>& rim) {
    const Real zero(0.0f);
    const Real height(target.height);
    rim.nearest((Real(0.5f) - abs_(hit.up)) * height, zero, select(hit.up < zero, height, -height));
}

/// Adds the rims at the sides of the map.
template <typename Real>
HELIORAY_HD void add_side_rims(const TargetRecord& target,
                               const TargetHit<Real>& hit,
                               RimGap<Real>& rim) {
    const Real zero(0.0f);
    const Real width(target.width);
    rim.nearest(
        (Real(0.5f) - abs_(hit.across)) * width, select(hit.across < zero, width, -width), zero);
}

/// Adds the rims of a plane.
template <typename Real>
HELIORAY_HD void add_plane_rims(const TargetRecord& target,
                                const TargetHit<Real>& hit,
                                RimGap<Real>& rim) {
    add_side_rims(target, hit, rim);
    add_level_rims(target, hit, rim);
}

}  // namespace helioray::kernels
