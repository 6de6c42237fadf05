// SPDX-License-Identifier: MIT
// Everything that traces.
#pragma once

#include "raytracer/run/options.h"
#include "raytracer/run/prepare.h"

#include <nanobind/nanobind.h>

#include "python/bindings/engine.h"
#include "python/bindings/plant.h"

namespace helioray::python {

/// How a call prepares its run: a plant that no file holds, threads and messages. options: those
/// that run_long() gives.
run::PrepareOptions prepare_options(const Source& source,
                                    const Call& call,
                                    const run::Options& options);

/// The bindings of trace, trace_series, annual and efficiency.
void bind_trace(nanobind::module_& m);

/// The bindings of aim and aim_series.
void bind_aim(nanobind::module_& m);

/// The binding of a field that is prepared once.
void bind_field(nanobind::module_& m);

}  // namespace helioray::python
