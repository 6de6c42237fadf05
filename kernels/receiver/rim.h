// SPDX-License-Identifier: MIT
// Rims of receivers: how the power on a receiver changes when light moves over its rim.
//
// The share of a ray that a receiver takes is H(s), the unit step of the distance from the rim, and
// the derivative of the step a peak at the rim. As at the edges of what is in the way
// (kernels/ray/occlusion_edges.h) the rays that there are near the rim, on both of its sides, stand
// for those on it.
#pragma once

#include "kernels/core/trace_types.h"
#include "kernels/receiver/hit.h"

namespace helioray::kernels {

/// Reach of a rim as seen from the mirror, radians: an eighth of the sun's radius, which blurs
/// every image.
inline constexpr float kRimReach = 0.6e-3f;

/// The part of a rim next to a hit on the surface, which continues beyond the rim.
template <typename Real>
struct NearestRim {
    Real outside{-1e30f};  ///< metres from the rim to the hit; negative on the receiver
    Real by_across{0.0f};  ///< derivatives of `outside` by the hit's place
    Real by_up{0.0f};

    HELIORAY_HD void take(Real distance, Real across, Real up) {
        const auto farther = distance > outside;
        outside = select(farther, distance, outside);
        by_across = select(farther, across, by_across);
        by_up = select(farther, up, by_up);
    }
};

/// Fills rim for hits anywhere on the continued surface.
template <typename Real>
HELIORAY_HD void find_rim(const FieldView& field,
                          const TargetRecord& target,
                          const TargetHit<Real>& hit,
                          NearestRim<Real>& rim) {
    const Real zero(0.0f);
    const Real half(0.5f);
    const Real width(target.width);
    const Real height(target.height);
    if (target.kind == TargetKind::disc) {
        const Real place = sqrt_(fma_(hit.across, hit.across, hit.up * hit.up));
        const Real scale = width / max_(place, Real(1e-3f));
        rim.take((place - half) * width, scale * hit.across, scale * hit.up);
        return;
    }
    // A cylinder that is closed has no sides.
    if (target.kind == TargetKind::plane || target.opening_angle < 6.28318f) {
        rim.take((abs_(hit.across) - half) * width, select(hit.across < zero, -width, width), zero);
    }
    rim.take((abs_(hit.up) - half) * height, zero, select(hit.up < zero, -height, height));
    const float* edge = field.floats + target.edges;
    for (int32_t i = 0; i < target.num_edges; ++i, edge += 3) {
        const float a = edge[0] / target.width;
        const float b = edge[1] / target.height;
        const float metres = 1.0f / sqrt_(a * a + b * b);
        const Real across(metres * edge[0]);
        const Real up(metres * edge[1]);
        rim.take(fma_(across, hit.across, up * hit.up) - Real(metres * edge[2]), across, up);
    }
}

/// The peak of the step's derivative at s, of the width 2 * reach.
template <typename Real>
HELIORAY_HD Real step_peak(Real s, float reach) {
    const Real share = s * Real(1.0f / reach);
    return max_(fma_(-share, share, Real(1.0f)) * Real(0.75f / reach), Real(0.0f));
}

/// The gradient of the loss where a cylinder that is lit from outside ends for rays that pass it on
/// the side of `beside`, metres from its axis; continued from their hits.
template <typename Real>
HELIORAY_HD Real value_at_side(const TargetRecord& target,
                               Real beside,
                               const GradientAtHit<Real>& at_hit) {
    // The angle between both places has the cosine 1 - u.
    const Real u = Real(1.0f) - min_(abs_(beside) * Real(1.0f / target.radius), Real(1.0f));
    const Real angle = sqrt_(u + u) * fma_(u, Real(1.0f / 12.0f), Real(1.0f));
    const Real across = angle * Real(1.0f / target.opening_angle);
    return fma_(select(beside < Real(0.0f), -across, across), at_hit.by_across, at_hit.value);
}

/// Adds what passes beside a cylinder that is lit from outside when rays from o along r move.
///
/// Rays that miss it have no hit, so the peak stands on its inside alone: a line of integral 1
/// without first moment. reach: metres; quanta: of rays that hit.
template <typename Real>
HELIORAY_HD void add_cylinder_sides(const TargetRecord& target,
                                    const Vec<Real>& o,
                                    const Vec<Real>& r,
                                    float reach,
                                    const GradientAtHit<Real>& at_hit,
                                    Real quanta,
                                    Vec<Real>& to_origin,
                                    Vec<Real>& to_direction) {
    // Distance of the axis from the ray, and where the ray is closest to it.
    const Real a = max_(fma_(r.x, r.x, r.y * r.y), Real(1e-12f));
    const Real inverse = Real(1.0f) / sqrt_(a);
    const Real beside = fma_(o.x, r.y, -(o.y * r.x)) * inverse;
    const Real share = (Real(target.radius) - abs_(beside)) * Real(1.0f / reach);
    const Real peak = fma_(share, Real(-6.0f), Real(4.0f)) * Real(1.0f / reach);
    const Real loss = quanta * value_at_side(target, beside, at_hit) * peak;
    const Real pull =
        select(share < Real(1.0f), select(beside < Real(0.0f), loss, -loss) * inverse, Real(0.0f));
    const Vec<Real> across{r.y, -r.x, Real(0.0f)};
    const Real closest = -(fma_(o.x, r.x, o.y * r.y) / a);
    to_origin = add_scaled(to_origin, pull, across);
    to_direction = add_scaled(to_direction, closest * pull, across);
}

}  // namespace helioray::kernels
