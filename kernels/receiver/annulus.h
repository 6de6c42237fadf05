// SPDX-License-Identifier: MIT
// A flat ring, or a sector of it, as surface of a receiver: y through the sector's middle, z along
// the normal.
#pragma once

#include "kernels/receiver/cylinder.h"

namespace helioray::kernels {

/// Returns the record of an annulus; radii and extent of the map in metres.
inline TargetRecord annulus_record(
    double radius, double inner_radius, double opening_angle, double map_width, double map_height) {
    TargetRecord record = plane_record(map_width, map_height);
    record.kind = TargetKind::annulus;
    record.radius = static_cast<float>(radius);
    record.inner_radius = static_cast<float>(inner_radius);
    record.opening_angle = static_cast<float>(opening_angle);
    return record;
}

/// Intersects an annulus, which reaches `overlap` metres over its rims, from either side. Columns
/// of the map are angles, rows rings of equal area.
template <typename Real, typename Scalar>
HELIORAY_HD void meet_annulus(const TargetRecord& shape,
                              const Vec<Scalar>& o,
                              const Vec<Real>& r,
                              float overlap,
                              TargetHit<Real>& hit) {
    constexpr float kPerTurn = 0.159154943091895336f;
    const float given = shape.opening_angle * kPerTurn;
    // A full turn must not lose a sliver by rounding.
    const float turns = given > 0.999999f ? 1.0f : given;
    const float reach = turns == 1.0f ? 1.0f : 0.5f * turns + overlap * kPerTurn / shape.radius;
    const float inner = shape.inner_radius;
    const float inner_limit = inner > overlap ? inner - overlap : 0.0f;
    const float outer_limit = shape.radius + overlap;
    hit.distance = Real(-o.z) / r.z;
    const Real x = fma_(hit.distance, r.x, Real(o.x));
    const Real y = fma_(hit.distance, r.y, Real(o.y));
    const Real square = fma_(x, x, y * y);
    const Real angle = atan2_turns(x, y);
    hit.mask = (hit.distance > Real(0.0f)) & (square <= Real(outer_limit * outer_limit)) &
               (square >= Real(inner_limit * inner_limit)) & (abs_(angle) <= Real(reach));
    hit.across = angle * Real(1.0f / turns);
    const float ring = shape.radius * shape.radius - inner * inner;
    hit.up = fma_(square - Real(inner * inner), Real(1.0f / ring), Real(-0.5f));
}

/// Adjoint of a hit at `point`.
template <typename Real>
HELIORAY_HD HitAdjoint<Real> annulus_adjoint(const TargetRecord& shape,
                                             const Vec<Real>& point,
                                             const GradientAtHit<Real>& g) {
    const float inner = shape.inner_radius;
    const float ring = shape.radius * shape.radius - inner * inner;
    const Real radial = g.by_up * Real(2.0f / ring);
    const Real k = g.by_across * sector_slope(shape, point);
    return {{fma_(k, point.y, radial * point.x), fma_(-k, point.x, radial * point.y), Real(0.0f)},
            {Real(0.0f), Real(0.0f), Real(1.0f)}};
}

}  // namespace helioray::kernels
