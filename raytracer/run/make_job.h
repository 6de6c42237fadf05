// SPDX-License-Identifier: MIT
// The model that a configuration chooses, ready to trace.
#pragma once

#include "raytracer/job/trace_job.h"
#include "scenario/run_config.h"
#include "scenario/types.h"

#include <memory>

namespace helioray {

/// Prepares a run of config.tracing.model. The scenario must outlive the job. num_threads: that
/// prepare it, at most; no result depends on it. Throws InputError for what cannot be traced,
/// ModuleError where the module of model artist is missing.
std::unique_ptr<TraceJob> make_job(const RunConfig& config,
                                   const Scenario& scenario,
                                   int num_threads = 1);

}  // namespace helioray
