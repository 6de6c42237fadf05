// SPDX-License-Identifier: MIT
// The sections of the run configuration that concern a field made from tensors.
#pragma once

#include "scenario/run_config.h"

#include <string>

namespace helioray::operators {

/// Reads a text in the language of the run configuration (configs/README.md) with the sections
/// sun (shape and dni_w_m2), optics, targets (by row of the tensor of targets: "0", "1", ...),
/// obstacles, tracing and bitmap. Missing keys have the run configuration's defaults, the sun's
/// shape that of Gaussian light with 2.09 mrad. Files in it are relative to the working directory.
/// Throws InputError with every problem found, among them keys that have no meaning for a field.
RunConfig read_field_config(const std::string& text);

}  // namespace helioray::operators
