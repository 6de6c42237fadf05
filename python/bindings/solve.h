// SPDX-License-Identifier: MIT
// Creates plants from measurements.
#pragma once

#include <nanobind/nanobind.h>

namespace helioray::python {

/// Adds the bindings of calibrate, update_calibration and reconstruct.
void bind_solve(nanobind::module_& m);

}  // namespace helioray::python
