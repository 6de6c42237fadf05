// SPDX-License-Identifier: MIT
// Pictures of results: flux maps with axes in metres and colour bars.
#pragma once

#include "raytracer/output/plot_page.h"
#include "raytracer/result.h"

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace helioray {

/// What pictures of flux maps show.
struct PlotOptions {
    std::optional<std::string> title;  ///< nothing: the scenario file's name
    bool shared_scale = false;         ///< one colour scale for all targets instead of one each
    bool all_targets = false;          ///< also targets without flux
    std::vector<std::string> targets;  ///< these alone; empty: all that have flux
    bool logarithmic = false;          ///< four decades of colours instead of a linear scale
    bool contours = false;             ///< lines of equal flux
    bool cuts = false;                 ///< graphs of the row and the column through the peak
    double pixels_per_point = 2.0;     ///< of PNG files; 2 is 144 per inch
};

/// Throws InputError unless the file name ends in .png, .svg or .pdf (any case).
void check_picture_path(const std::filesystem::path& picture);

/// Throws InputError for every name that is no target of the result; `where` says where it stands.
void check_targets(const RunResult& result,
                   const std::vector<std::string>& names,
                   const std::string& where);

/// The maps as a page of panels; `result` outlives it.
PlotPage flux_page(const RunResult& result, const PlotOptions& options = {});

/// Draws the targets that have flux (all, if none has) as panels of one picture, with true
/// proportions, and stores it as PNG, SVG or PDF after the file name; completely or not at all.
/// Throws InputError for another file name, a result without targets or names that are none,
/// std::runtime_error naming the file when it cannot be stored.
void plot_flux(const RunResult& result,
               const std::filesystem::path& picture,
               const PlotOptions& options = {});

}  // namespace helioray
