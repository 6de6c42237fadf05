// SPDX-License-Identifier: MIT
// Model "physical": computes sums and flux maps from configuration and scenario.
#pragma once

#include "raytracer/tracing/job/trace_job.h"
#include "scenario/types/run_config.h"
#include "scenario/types/types.h"

#include <functional>
#include <memory>

namespace helioray::physical {

class PreparedField;

/// A run whose field may change between two traces.
class FieldJob : public TraceJob {
  public:
    /// Calls `change` with the field, updates the field with at most num_threads threads, and
    /// clears the sums. Throws InputError for a field that cannot be traced; the changes then
    /// remain pending, as in PreparedField::update().
    virtual void change(const std::function<void(PreparedField&)>& change, int num_threads) = 0;
};

/// Prepares a run: aligns the heliostats and builds field and plan. The scenario must outlive the
/// job. num_threads: largest number of threads; the result does not depend on it. Throws InputError
/// for runs that cannot be traced.
std::unique_ptr<FieldJob> make_physical_job(const RunConfig& config,
                                            const Scenario& scenario,
                                            int num_threads = 1);

}  // namespace helioray::physical
