// SPDX-License-Identifier: MIT
// Surfaces on which aim points move: a target, the face of a receiver, or its aperture.
#pragma once

#include "raytracer/solvers/aiming/model/aiming_result.h"
#include "scenario/types/types.h"

#include <vector>

namespace helioray::aiming {

/// Returns the surface on which the aim points of a heliostat move, whose coordinates are those of
/// AimedPoint:
/// - the target, or the named surface of a receiver;
/// - for a heliostat that aims at a receiver without an aim point: the absorbing surface that faces
///   it, with all absorbing surfaces in the same plane (the face of a billboard);
/// - for a receiver with an aim point: the window around it that shields in one plane leave open
///   (the aperture of a cavity). Without such shields, an upright plane through the aim point that
///   faces the heliostat, as large as the receiver.
/// Surfaces that are not targets have the name of the receiver.
Target aim_surface(const Scenario& scenario, const AimedPoint& point);

/// Returns the default aim point of a heliostat, metres, ENU.
Vec3 usual_aim_point(const Scenario& scenario, const AimedPoint& point);

}  // namespace helioray::aiming
