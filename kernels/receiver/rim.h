// SPDX-License-Identifier: MIT
// Rims of receivers of every shape: distance of hits from them, and its derivative.
#pragma once

#include "kernels/receiver/hit.h"

namespace helioray::kernels {

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

/// Returns the gap of hits within the rims. A cylinder of a full turn has no side rims, and grazing
/// light on its shell is not a rim either.
template <typename Real>
HELIORAY_HD RimGap<Real> rim_gap(const FieldView& field,
                                 const TargetRecord& target,
                                 const TargetHit<Real>& hit) {
    const Real zero(0.0f);
    const Real half(0.5f);
    const Real width(target.width);
    const Real height(target.height);
    RimGap<Real> rim{Real(1e30f), zero, zero};
    if (target.kind == TargetKind::disc) {
        const Real square = fma_(hit.across, hit.across, hit.up * hit.up);
        const Real radius = sqrt_(max_(square, Real(1e-20f)));
        const Real slope = -width / radius;
        rim.nearest((half - radius) * width, slope * hit.across, slope * hit.up);
    } else {
        const bool is_plane = target.kind == TargetKind::plane;
        if (is_plane || target.opening_angle < 6.28318f) {
            rim.nearest(
                (half - abs_(hit.across)) * width, select(hit.across < zero, width, -width), zero);
        }
        rim.nearest((half - abs_(hit.up)) * height, zero, select(hit.up < zero, height, -height));
    }
    const float* edge = field.floats + target.edges;
    for (int32_t i = 0; i < target.num_edges; ++i, edge += 3) {
        const float a = edge[0] / target.width;
        const float b = edge[1] / target.height;
        const float metres = 1.0f / sqrt_(fma_(a, a, b * b));
        const Real inside = Real(edge[2]) - fma_(Real(edge[0]), hit.across, Real(edge[1]) * hit.up);
        rim.nearest(inside * Real(metres), Real(-edge[0] * metres), Real(-edge[1] * metres));
    }
    return rim;
}

}  // namespace helioray::kernels
