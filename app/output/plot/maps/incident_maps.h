// SPDX-License-Identifier: MIT
// Maps of the light on surfaces that absorb a part of it.
#pragma once

#include "raytracer/tracing/job/result.h"

#include <string>

namespace helioray {

/// Returns the result with the light on surfaces before absorption in place of the absorbed light:
/// flux, power, peak and centroid of their targets. Other targets, whose flux is incident, stay.
/// Throws InputError if no surface absorbs a part of its light; `where` is the place in the
/// message.
RunResult with_incident_maps(const RunResult& result, const std::string& where);

}  // namespace helioray
