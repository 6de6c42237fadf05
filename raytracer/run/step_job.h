// SPDX-License-Identifier: MIT
// Jobs of the steps of a run, and their descriptions for ranks that trace parts of them.
#pragma once

#include "raytracer/run/prepare.h"
#include "raytracer/tracing/job/trace_job.h"

#include <cstddef>
#include <string>

namespace helioray::run {

/// Returns the run's job with the sun of a step; that of a single run is step 0. Everything that
/// does not depend on the sun is prepared only once, unless every step has its own aims, clouds or
/// states. Throws InputError that names the step.
TraceJob& get_job(PreparedRun& run, std::size_t step, int num_threads);

/// Returns a text that is equal on ranks that have prepared the same job. It begins with the step.
std::string describe_job(const PreparedRun& run, std::size_t step, const TraceJob& job);

/// Returns the step of a text of describe_job().
std::size_t parse_step(const std::string& text);

}  // namespace helioray::run
