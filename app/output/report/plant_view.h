// SPDX-License-Identifier: MIT
// The view of the plant in three dimensions inside reports.
#pragma once

#include "app/output/summary/run_context.h"
#include "raytracer/tracing/job/result.h"

#include <string>

namespace helioray {

/// Returns the section with the view and its controls, as markup. It is empty if the outlines of
/// the mirrors are unknown.
std::string plant_view(const RunResult& result);

/// Returns the data of the view as a script element, to be placed after that of report_data(), with
/// the same heliostats: mirrors (with the outlines of facets that are not rectangles), targets with
/// their flux, bodies and colours. Arrays are float32 or
/// bytes in base64: 48 characters for each mirror, at most 22 kB of flux for each target.
std::string plant_view_data(const RunResult& result, const Surroundings& surroundings);

}  // namespace helioray
