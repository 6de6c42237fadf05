// SPDX-License-Identifier: MIT
// Bindings of all functions that trace.
#pragma once

#include "raytracer/run/options.h"
#include "raytracer/run/prepare.h"

#include <nanobind/nanobind.h>

#include "python/bindings/engine.h"
#include "python/bindings/plant.h"

namespace helioray::python {

/// Returns the options for preparing the run of a call: without a file for the plant, with threads
/// and messages. `options` are those of run_long(); restart: whether finished steps are computed
/// again.
run::PrepareOptions prepare_options(const Source& source,
                                    const Call& call,
                                    const run::Options& options,
                                    bool restart = false);

/// Adds the bindings of trace, trace_series, annual and efficiency.
void bind_trace(nanobind::module_& m);

/// Adds the bindings of aim and aim_series.
void bind_aim(nanobind::module_& m);

/// Adds the binding of a field that is prepared once.
void bind_field(nanobind::module_& m);

}  // namespace helioray::python
