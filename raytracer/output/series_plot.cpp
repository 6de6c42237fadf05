// SPDX-License-Identifier: MIT
// Titles of steps.
#include "raytracer/output/series_plot.h"

#include "raytracer/output/result_file.h"

namespace helioray {

void plot_step(const std::filesystem::path& result,
               const SeriesResult& series,
               std::size_t step,
               const std::filesystem::path& picture,
               PlotOptions options) {
    const RunResult one = read_result(result, step, HeliostatFlux::skip);
    if (!options.title) {
        const std::string stem =
            std::filesystem::path(one.provenance.scenario_file).stem().string();
        options.title = (stem.empty() ? "Flux" : stem) + ", " + step_label(series, step);
    }
    plot_flux(one, picture, options);
}

}  // namespace helioray
