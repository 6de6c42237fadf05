// SPDX-License-Identifier: MIT
// Converts a plant to arrays for the Torch operators.
#pragma once

#include <nanobind/nanobind.h>

namespace helioray::python {

/// Adds the bindings of tensors and with_tensors.
void bind_tensors(nanobind::module_& m);

}  // namespace helioray::python
