// SPDX-License-Identifier: MIT
// A plant as arrays for the Torch operators.
#pragma once

#include <nanobind/nanobind.h>

namespace helioray::python {

/// The bindings of tensors and with_tensors.
void bind_tensors(nanobind::module_& m);

}  // namespace helioray::python
