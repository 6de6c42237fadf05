// SPDX-License-Identifier: MIT
// Plants made in memory for tests of model physical.
#pragma once

#include "raytracer/tracing/job/trace_job.h"
#include "scenario/types/run_config.h"
#include "scenario/types/types.h"
#include "tests/support/catch2.h"

#include <string>

namespace helioray::test {

/// `count` heliostats H000, H001, ... with azimuth-elevation kinematics and one flat square facet
/// of `side` metres, all 100 m north of the origin, where a square target of `extent` metres faces
/// north ("wall").
Scenario wall_scenario(size_t count, double side, double extent);

/// Collimated light from the south at 60 degrees elevation, everything on the wall's centre, no
/// losses but the cosine's: the mirrors' normals are (0, -cos 30, sin 30) degrees, the angle of
/// incidence is 30 degrees, the beams travel south and level.
RunConfig wall_config();

/// Traces all units.
RunResult trace_all(TraceJob& job, int num_threads = 1);

/// Traces round by round until the job is accurate enough.
RunResult trace_rounds(TraceJob& job);

}  // namespace helioray::test
