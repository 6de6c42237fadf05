// SPDX-License-Identifier: MIT
// Traces of the whole field at chosen aim points, on targets and on their shields.
#pragma once

#include "raytracer/aiming/aim_field.h"
#include "raytracer/job/result.h"
#include "raytracer/run/session.h"
#include "scenario/run_config.h"
#include "scenario/types.h"

#include <optional>
#include <vector>

namespace helioray::aiming {

/// What rays say about aim points.
struct TracedField {
    RunResult run;  ///< on the targets
    /// As AimingResult::shields.
    std::vector<TargetResult> shields;
};

/// The map that the limits belong to; null where nobody aims at the target.
const TargetResult* find_map(const LimitMap& limits, const TracedField& traced);

/// The target, enlarged to hold its shield: pixels stay as large as they are in the bitmap.
Target with_shield(const Target& target, const BitmapConfig& bitmap, const PixelsBeyond& beyond);

/// Sets power, peak and centroid of a shield from its map. The standard error of the power takes
/// those of pixels as independent.
void add_shield_statistics(TargetResult& map);

/// Traces the points, and for each shield among the limits all of them once more on its enlarged
/// target: the same rays, but what passes beside the target is binned, too. Collective; returns
/// nothing but on rank 0. Throws as Session::trace().
std::optional<TracedField> trace_field(run::Session& session,
                                       const RunConfig& config,
                                       const std::vector<AimedPoint>& points,
                                       const std::vector<LimitMap>& limits);

/// The numbers of rank 0 on all ranks; as many on each. Collective.
std::vector<int64_t> of_root(run::Session& session, std::vector<int64_t> numbers);

/// Gives all ranks the points and switches of rank 0, for one more trace. trace: on rank 0, whether
/// there is one; returns this on all ranks. Collective.
bool share_points(run::Session& session, bool trace, std::vector<AimedPoint>& points);

/// Throws InputError for a target that heliostats aim at and that receives nothing, neither at the
/// aim points before nor at the chosen ones.
void check_light(const RunConfig& config, const RunResult& before, const RunResult& chosen);

}  // namespace helioray::aiming
