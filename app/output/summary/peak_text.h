// SPDX-License-Identifier: MIT
// Formats peak fluxes with their error, the area they are averaged over, and the largest pixel.
#pragma once

#include "raytracer/tracing/job/result.h"

#include <string>

namespace helioray {

/// Returns "5.130 ± 0.052": a value and its standard error with two digits of the error. Without an
/// error (0 or NaN) the value has four digits.
std::string with_error(double value, double std_error);

/// Returns "5.130 ± 0.052 kW/m2 over 0.09 m2 (largest pixel 6.02)": the peak of a target. `unit` is
/// a spelling of kW/m2. The text also says if the file does not store the peak, or if its error is
/// unknown.
std::string peak_text(const TargetResult& target, const std::string& unit);

}  // namespace helioray
