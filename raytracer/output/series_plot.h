// SPDX-License-Identifier: MIT
// Pictures of one step of a series.
#pragma once

#include "raytracer/output/flux_plot.h"
#include "raytracer/series/series.h"

#include <cstddef>
#include <filesystem>

namespace helioray {

/// plot_flux of one step of the series in a file; the title says which one.
void plot_step(const std::filesystem::path& result,
               const SeriesResult& series,
               std::size_t step,
               const std::filesystem::path& picture,
               PlotOptions options = {});

}  // namespace helioray
