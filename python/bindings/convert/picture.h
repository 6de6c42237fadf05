// SPDX-License-Identifier: MIT
// Draws the program's pictures into memory.
#pragma once

#include "app/output/plot/drawing/plot_page.h"
#include "app/output/plot/flux_plot.h"

#include <string>
#include <vector>

namespace helioray::python {

inline PlotOptions plot_options(const std::vector<std::string>& targets,
                                bool logarithmic,
                                bool contours) {
    PlotOptions options;
    options.targets = targets;
    options.logarithmic = logarithmic;
    options.contours = contours;
    return options;
}

/// Returns a page's bytes in the format of an ending: "png".
inline std::string draw(const PlotPage& page, const std::string& format) {
    return draw_page(page, picture_format("picture." + format), PlotOptions().pixels_per_point);
}

}  // namespace helioray::python
