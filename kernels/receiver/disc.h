// SPDX-License-Identifier: MIT
// A flat disc as receiver, in the frame of a plane; the bitmap covers the square around the disc.
#pragma once

#include "kernels/receiver/plane.h"

namespace helioray::kernels {

/// Returns the record of a disc of a radius in metres.
inline TargetRecord disc_record(double radius) {
    TargetRecord record = plane_record(2.0 * radius, 2.0 * radius);
    record.kind = TargetKind::disc;
    record.radius = static_cast<float>(radius);
    return record;
}

/// Intersects a disc and sets `hit`. Light in the corners of the square misses. The adjoint is
/// plane_adjoint().
template <typename Real>
HELIORAY_HD void intersect_disc(const TargetRecord& target,
                                const Vec<Real>& o,
                                const Vec<Real>& r,
                                TargetHit<Real>& hit) {
    meet_plane(target, o, r, hit);
    hit.mask = hit.mask & (fma_(hit.across, hit.across, hit.up * hit.up) <= Real(0.25f));
}

/// Adds the rim of a disc.
template <typename Real>
HELIORAY_HD void add_disc_rim(const TargetRecord& target,
                              const TargetHit<Real>& hit,
                              RimGap<Real>& rim) {
    const Real width(target.width);
    const Real square = fma_(hit.across, hit.across, hit.up * hit.up);
    const Real radius = sqrt_(max_(square, Real(1e-20f)));
    const Real slope = -width / radius;
    rim.nearest((Real(0.5f) - radius) * width, slope * hit.across, slope * hit.up);
}

}  // namespace helioray::kernels
