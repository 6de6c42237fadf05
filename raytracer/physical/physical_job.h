// SPDX-License-Identifier: MIT
// Model "physical": from configuration and scenario to sums and flux maps.
#pragma once

#include "raytracer/job/trace_job.h"
#include "scenario/run_config.h"
#include "scenario/types.h"

#include <memory>

namespace helioray::physical {

/// Prepares a run: aligns the heliostats and builds field and plan. The scenario must outlive the
/// job. num_threads: at most; no result depends on it. Throws InputError for runs that cannot be
/// traced.
std::unique_ptr<TraceJob> make_physical_job(const RunConfig& config,
                                            const Scenario& scenario,
                                            int num_threads = 1);

}  // namespace helioray::physical
