// SPDX-License-Identifier: MIT
// Draws pictures of results: flux maps with axes in metres and colour bars.
#pragma once

#include "app/output/plot/drawing/plot_page.h"
#include "raytracer/tracing/job/result.h"

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace helioray {

/// Settings of flux map pictures.
struct PlotOptions {
    std::optional<std::string> title;  ///< title; empty: the scenario file's name
    bool shared_scale = false;         ///< one colour scale for all targets instead of one each
    bool all_targets = false;          ///< draw targets without flux too
    std::vector<std::string> targets;  ///< names of targets and receivers; empty: all with flux
    bool logarithmic = false;          ///< four decades of colours instead of a linear scale
    bool contours = false;             ///< lines of equal flux
    bool cuts = false;                 ///< graphs of the row and the column through the peak
    double pixels_per_point = 2.0;     ///< resolution of PNG files; 2 is 144 per inch
};

/// Throws InputError unless the file name ends in .png, .svg or .pdf, in upper or lower case.
void check_picture_path(const std::filesystem::path& picture);

/// Throws InputError for every name that is not a target of the result; `where` names its source.
void check_targets(const RunResult& result,
                   const std::vector<std::string>& names,
                   const std::string& where);

/// Returns the maps as a page of panels; `result` outlives it.
PlotPage flux_page(const RunResult& result, const PlotOptions& options = {});

/// Draws the targets that have flux (all, if none has) as panels of one picture, with true
/// proportions, and stores it as PNG, SVG or PDF, according to the extension, completely or not at
/// all. Throws InputError for another extension, a result without targets or unknown names,
/// std::runtime_error with the file's name if it cannot be stored.
void plot_flux(const RunResult& result,
               const std::filesystem::path& picture,
               const PlotOptions& options = {});

}  // namespace helioray
