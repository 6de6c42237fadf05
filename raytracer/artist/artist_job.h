// SPDX-License-Identifier: MIT
// Model "artist" as a job: from configuration and scenario to sums and bitmaps.
#pragma once

#include "raytracer/trace_job.h"
#include "scenario/run_config.h"
#include "scenario/types.h"

#include <memory>

namespace helioray {

/// Prepares a run; its units are ARTIST's rows (active heliostats). The scenario must outlive the
/// job. Throws InputError for what ARTIST could not trace.
std::unique_ptr<TraceJob> make_artist_job(const RunConfig& config, const Scenario& scenario);

}  // namespace helioray
