// SPDX-License-Identifier: MIT
// Chooses the aim points of a whole field, by a fixed strategy or by optimisation under flux
// limits, and verifies them by ray tracing.
#pragma once

#include "raytracer/run/session.h"
#include "raytracer/solvers/aiming/model/aiming_result.h"

#include <optional>

namespace helioray::aiming {

/// Chooses aim points for one step of the session's series. config: configuration of this step.
/// before: result of the previous step, null for the first step. center: result of strategy center
/// if it is already known, which saves its trace; not allowed together with `before`. Only rank 0
/// needs `before` and `center`. effort: fraction of the usual search for better aim points in small
/// fields, above 0; below 1 each image of a small field is traced from a single aim point, and the
/// bound has no margin for this. Otherwise like aim_field(session).
std::optional<AimingResult> aim_field(run::Session& session,
                                      const RunConfig& config,
                                      const StepBefore* before,
                                      const AimingResult* center = nullptr,
                                      double effort = 1.0);

/// Chooses aim points according to the session's configuration (RunConfig::aiming). Collective; the
/// results do not depend on the numbers of threads and ranks. Returns the result on rank 0 and
/// nullopt on the other ranks. Throws InputError if limits do not fit the targets, if a target
/// receives no light, and like check_aim_series() and Session::trace().
std::optional<AimingResult> aim_field(run::Session& session);

}  // namespace helioray::aiming
