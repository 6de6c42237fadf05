// SPDX-License-Identifier: MIT
// Creates the job of the configured model.
#pragma once

#include "raytracer/tracing/job/trace_job.h"
#include "scenario/types/run_config.h"
#include "scenario/types/types.h"

#include <memory>

namespace helioray {

/// Prepares a run of config.tracing.model. The scenario must outlive the job. num_threads: largest
/// number of threads for the preparation; the result does not depend on it. Throws InputError for
/// runs that cannot be traced, and ModuleError if the module of model artist is missing.
std::unique_ptr<TraceJob> make_job(const RunConfig& config,
                                   const Scenario& scenario,
                                   int num_threads = 1);

}  // namespace helioray
