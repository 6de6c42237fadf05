// SPDX-License-Identifier: MIT
// Positions of the sun from the columns of a frame, and weather from a frame.
#pragma once

#include <nanobind/nanobind.h>

namespace helioray::python {

/// Adds the bindings of Suns and Weather, and the functions that make them.
void bind_suns(nanobind::module_& m);

}  // namespace helioray::python
