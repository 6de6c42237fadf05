// SPDX-License-Identifier: MIT
// Compares two series step by step.
#pragma once

#include "app/output/plot/series_plot.h"

#include <string>
#include <vector>

namespace helioray {

/// Power of one series minus that of another. Errors are those of independent runs.
struct SeriesDifference {
    std::vector<double> power_w;      ///< difference of the power on all targets, W, [T]
    std::vector<double> std_error_w;  ///< standard error of the difference, W, [T]
};

/// A series, its steps, and its name in messages.
struct NamedSeries {
    const SeriesResult& series;
    ReadStep read_step;
    std::string name;
};

/// Returns the differences, first minus second. Throws InputError unless both have the same number
/// of steps, at the same times if all steps have times.
SeriesDifference series_difference(const NamedSeries& first, const NamedSeries& second);

/// Returns a page with the difference of the power over the steps, and the differences of the maps
/// of chosen steps on one scale. Throws InputError like flux_differences().
PlotPage series_difference_page(const NamedSeries& first,
                                const NamedSeries& second,
                                const std::vector<std::string>& targets);

/// Returns a table of the steps for users: both powers and their difference.
std::string series_difference_table(const NamedSeries& first, const NamedSeries& second);

}  // namespace helioray
