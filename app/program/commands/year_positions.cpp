// SPDX-License-Identifier: MIT
// Adds options for the sun positions of a year.
#include "app/program/commands/year_positions.h"

namespace helioray::app {

void add_year_positions(Command command, YearPositions& positions) {
    command
        .add_option("--min-elevation",
                    positions.min_elevation_deg,
                    "Lowest elevation of the sun at which the field operates, degrees "
                    "(default 10)")
        .type_name("DEG")
        .range(kLowestElevations.low, kLowestElevations.high);
    command
        .add_option("--declinations",
                    positions.declinations,
                    "Number of solar declinations to trace, odd (default 9)")
        .type_name("N")
        .range(static_cast<int>(kGridCounts.low), static_cast<int>(kGridCounts.high));
    command
        .add_option("--hours",
                    positions.hours,
                    "Number of hour angles for each declination, odd (default 13)")
        .type_name("N")
        .range(static_cast<int>(kGridCounts.low), static_cast<int>(kGridCounts.high));
}

}  // namespace helioray::app
