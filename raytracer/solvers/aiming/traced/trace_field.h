// SPDX-License-Identifier: MIT
// Traces the whole field at chosen aim points, on the targets and on their shields.
#pragma once

#include "raytracer/run/session.h"
#include "raytracer/solvers/aiming/model/aiming_result.h"
#include "raytracer/tracing/job/result.h"
#include "scenario/types/run_config.h"
#include "scenario/types/types.h"

#include <optional>
#include <vector>

namespace helioray::aiming {

/// Result of tracing the field at given aim points.
struct TracedField {
    RunResult run;  ///< Result on the targets
    /// Flux on the shields, as in AimingResult::shields.
    std::vector<TargetResult> shields;
};

/// Returns the flux map that the limits apply to, or null if no heliostat aims at the target.
const TargetResult* find_map(const LimitMap& limits, const TracedField& traced);

/// Returns the target enlarged to include its shield; the pixel size stays that of the bitmap.
Target with_shield(const Target& target, const BitmapConfig& bitmap, const PixelsBeyond& beyond);

/// Sets power, peak and centroid of a shield from its flux map. The standard error of the power
/// treats the errors of the pixels as independent.
void add_shield_statistics(TargetResult& map);

/// Traces the field at these points. For each shield among the limits, traces all rays again on the
/// enlarged target: the rays are identical, but those that miss the target are also binned.
/// Collective; returns nullopt on all ranks but rank 0. Throws like Session::trace().
std::optional<TracedField> trace_field(run::Session& session,
                                       const RunConfig& config,
                                       const std::vector<AimedPoint>& points,
                                       const std::vector<LimitMap>& limits);

/// Broadcasts the numbers of rank 0. Every rank passes the same count of numbers. Collective.
std::vector<int64_t> of_root(run::Session& session, std::vector<int64_t> numbers);

/// Broadcasts the points and on/off states of rank 0 for another trace. trace: on rank 0, true if
/// another trace follows; this value is returned on all ranks. Collective.
bool share_points(run::Session& session, bool trace, std::vector<AimedPoint>& points);

/// Throws InputError if a target that heliostats aim at receives no light, neither at the previous
/// nor at the chosen aim points.
void check_light(const RunConfig& config, const RunResult& before, const RunResult& chosen);

}  // namespace helioray::aiming
