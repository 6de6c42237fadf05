// SPDX-License-Identifier: MIT
// Writes a series as one self-contained web page.
#pragma once

#include "app/output/plot/series_plot.h"
#include "raytracer/results/series/series.h"

#include <optional>
#include <string>

namespace helioray {

/// Returns a complete HTML document like html_report() for a series: energy of the day, graphs of
/// power and efficiency, flux maps of at most 25 steps behind a slider, a table of the steps, the
/// losses, field map and table of heliostats with the energies of all steps, configuration and
/// provenance. Without `title`, the scenario file's name is the title.
std::string series_report(const SeriesResult& series,
                          const ReadStep& read_step,
                          const std::optional<std::string>& title = {});

}  // namespace helioray
