// SPDX-License-Identifier: MIT
// Plants from measurements.
#pragma once

#include <nanobind/nanobind.h>

namespace helioray::python {

/// The bindings of calibrate, update_calibration and reconstruct.
void bind_solve(nanobind::module_& m);

}  // namespace helioray::python
