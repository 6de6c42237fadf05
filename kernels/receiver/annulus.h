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

/// Removes hits outside the ring and its sector, which reach `overlap` metres over their rims, and
/// converts coordinates of the square around the ring to those of the map: angles across, rings of
/// equal area upwards.
template <typename Real>
HELIORAY_HD void keep_inside_ring(const TargetRecord& shape, float overlap, TargetHit<Real>& hit) {
    constexpr float kPerTurn = 0.159154943091895336f;
    const float given = shape.opening_angle * kPerTurn;
    // A full turn must not lose a sliver by rounding.
    const float turns = given > 0.999999f ? 1.0f : given;
    const float reach = turns == 1.0f ? 1.0f : 0.5f * turns + overlap * kPerTurn / shape.radius;
    const float diameter = 2.0f * shape.radius;
    const float inner = shape.inner_radius / diameter;
    const float inner_limit = inner > 0.0f ? max_(inner - overlap / diameter, 0.0f) : 0.0f;
    const float outer_limit = 0.5f + overlap / diameter;
    const Real square = fma_(hit.across, hit.across, hit.up * hit.up);
    const Real angle = atan2_turns(hit.across, hit.up);
    hit.mask = hit.mask & (square <= Real(outer_limit * outer_limit)) &
               (square >= Real(inner_limit * inner_limit)) & (abs_(angle) <= Real(reach));
    hit.across = angle * Real(1.0f / turns);
    const float per_area = 1.0f / (0.25f - inner * inner);
    hit.up = fma_(square - Real(inner * inner), Real(per_area), Real(-0.5f));
}

}  // namespace helioray::kernels
