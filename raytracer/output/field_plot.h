// SPDX-License-Identifier: MIT
// Pictures of the field.
#pragma once

#include "raytracer/output/field_panel.h"
#include "raytracer/output/plot_page.h"

namespace helioray {

/// The plan of the field as a page; `result` outlives it. Throws InputError for a result without
/// heliostats.
PlotPage field_page(const RunResult& result, const HeliostatQuantity& quantity, FieldUnit unit);

}  // namespace helioray
