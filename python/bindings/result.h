// SPDX-License-Identifier: MIT
// Results in Python's memory.
#pragma once

#include <nanobind/nanobind.h>

namespace helioray::python {

/// Adds the bindings of results, series and years, and the functions that read their files.
void bind_result(nanobind::module_& m);

}  // namespace helioray::python
