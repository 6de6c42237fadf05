// SPDX-License-Identifier: MIT
// Pictures of results: flux maps with axes in metres and colour bars.
#pragma once

#include "raytracer/result.h"

#include <filesystem>
#include <optional>
#include <string>

namespace helioray {

struct PlotOptions {
    std::optional<std::string> title;  ///< nothing: the scenario file's name
    bool shared_scale = false;         ///< one colour scale for all targets instead of one each
    bool all_targets = false;          ///< also targets without flux
    double pixels_per_point = 2.0;     ///< of PNG files; 2 is 144 per inch
};

/// Throws InputError unless the file name ends in .png, .svg or .pdf (any case).
void check_picture_path(const std::filesystem::path& picture);

/// Draws the targets that have flux (all, if none has) as panels of one picture, with true
/// proportions, and stores it as PNG, SVG or PDF after the file name; completely or not at all.
/// Throws InputError for another file name or a result without targets, std::runtime_error naming
/// the file when it cannot be stored.
void plot_flux(const RunResult& result,
               const std::filesystem::path& picture,
               const PlotOptions& options = {});

}  // namespace helioray
