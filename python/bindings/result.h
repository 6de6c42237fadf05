// SPDX-License-Identifier: MIT
// Results in Python's memory.
#pragma once

#include <nanobind/nanobind.h>

namespace helioray::python {

/// Adds the class of results of runs, and the functions that read their files.
void bind_result(nanobind::module_& m);
/// Adds the functions that read the files of series.
void bind_series(nanobind::module_& m);
/// Adds the class of the yield of a year, and the function that reads its file.
void bind_year(nanobind::module_& m);
/// Adds the class of tables of efficiency, and the function that reads their files.
void bind_efficiency(nanobind::module_& m);

}  // namespace helioray::python
