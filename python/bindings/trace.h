// SPDX-License-Identifier: MIT
// Everything that traces.
#pragma once

#include <nanobind/nanobind.h>

namespace helioray::python {

/// The bindings of trace, trace_series, annual, efficiency and aim.
void bind_trace(nanobind::module_& m);

/// The binding of a field that is prepared once.
void bind_field(nanobind::module_& m);

}  // namespace helioray::python
