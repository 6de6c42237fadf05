// SPDX-License-Identifier: MIT
// Results in the memory of Python.
#pragma once

#include <nanobind/nanobind.h>

namespace helioray::python {

/// The bindings of results, series and years, and the functions that read their files.
void bind_result(nanobind::module_& m);

}  // namespace helioray::python
