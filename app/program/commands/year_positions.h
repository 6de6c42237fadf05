// SPDX-License-Identifier: MIT
// Options of commands that trace the sun positions of a year.
#pragma once

#include "app/program/common/command.h"
#include "raytracer/studies/annual/year_plan.h"

namespace helioray::app {

/// Adds --min-elevation, --declinations and --hours; `positions` must outlive the command.
void add_year_positions(Command command, YearPositions& positions);

}  // namespace helioray::app
