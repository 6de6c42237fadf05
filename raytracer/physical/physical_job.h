// SPDX-License-Identifier: MIT
// Model "physical": from configuration and scenario to sums and flux maps.
#pragma once

#include "raytracer/job/trace_job.h"
#include "scenario/run_config.h"
#include "scenario/types.h"

#include <functional>
#include <memory>

namespace helioray::physical {

class PreparedField;

/// A run whose field may change between two traces.
class FieldJob : public TraceJob {
  public:
    /// Calls `change` with the field, brings it up to date on num_threads threads at most, and
    /// empties the sums. Throws InputError for what cannot be traced; the changes stay to be made,
    /// as PreparedField::update() has it.
    virtual void change(const std::function<void(PreparedField&)>& change, int num_threads) = 0;
};

/// Prepares a run: aligns the heliostats and builds field and plan. The scenario must outlive the
/// job. num_threads: at most; no result depends on it. Throws InputError for runs that cannot be
/// traced.
std::unique_ptr<FieldJob> make_physical_job(const RunConfig& config,
                                            const Scenario& scenario,
                                            int num_threads = 1);

}  // namespace helioray::physical
