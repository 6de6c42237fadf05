// SPDX-License-Identifier: MIT
// A flat rectangle as receiver: x to the right, y up, z along the normal.
#pragma once

#include "kernels/receiver/hit.h"

namespace helioray::kernels {

/// The record of a rectangle of width x height metres.
inline TargetRecord plane_record(double width, double height) {
    TargetRecord record{};
    record.kind = TargetKind::plane;
    record.width = static_cast<float>(width);
    record.height = static_cast<float>(height);
    return record;
}

/// Where rays from o along r meet the plane that holds the receiver. The mask is set where they
/// come from its front: only rays against the normal do, from an origin before the plane.
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

/// Fills hit.
template <typename Real>
HELIORAY_HD void intersect_plane(const TargetRecord& target,
                                 const Vec<Real>& o,
                                 const Vec<Real>& r,
                                 TargetHit<Real>& hit) {
    meet_plane(target, o, r, hit);
    hit.mask = hit.mask & (abs_(hit.across) <= Real(0.5f)) & (abs_(hit.up) <= Real(0.5f));
}

/// Back from a hit, wherever on the plane it is.
template <typename Real>
HELIORAY_HD HitAdjoint<Real> plane_adjoint(const TargetRecord& target,
                                           const GradientAtHit<Real>& g) {
    const Real zero(0.0f);
    return {{g.by_across * Real(1.0f / target.width), g.by_up * Real(1.0f / target.height), zero},
            {zero, zero, Real(1.0f)}};
}

}  // namespace helioray::kernels
