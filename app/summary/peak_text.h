// SPDX-License-Identifier: MIT
// Peak fluxes as text: with their error, the area they are averaged over, and the largest pixel.
#pragma once

#include "raytracer/job/result.h"

#include <string>

namespace helioray {

/// "5.130 ± 0.052": a value and its standard error with two digits of the error; without an error
/// (0 or NaN) four digits of the value.
std::string with_error(double value, double std_error);

/// "5.130 ± 0.052 kW/m2 over 0.09 m2 (largest pixel 6.02)": the peak of a target in `unit`, which
/// is a way to write kW/m2. Reports where the file does not store the peak, and where its error is
/// unknown.
std::string peak_text(const TargetResult& target, const std::string& unit);

}  // namespace helioray
