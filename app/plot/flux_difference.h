// SPDX-License-Identifier: MIT
// Two results compared pixel by pixel.
#pragma once

#include "app/plot/plot_page.h"
#include "raytracer/job/result.h"

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace helioray {

/// One target of one result minus the same target of another.
struct FluxDifference {
    /// Name, geometry and unit of the target; flux is the difference, flux_std_error that of
    /// independent runs (root of the sum of squares), power_w and power_std_error_w likewise.
    TargetResult map;
    double rms = 0.0;      ///< root of the mean square of the difference, unit of the map
    double largest = 0.0;  ///< the difference of largest size, with its sign
    /// Root of the sum of squared differences over that of squared standard errors, of the pixels
    /// whose error is known and above 0: about 1 when independent runs differ by chance alone. Sums
    /// rather than ratios of pixels, since errors from few rays are themselves uncertain. Nothing
    /// without such pixels.
    std::optional<double> rms_in_std_errors;
    /// The largest difference over the standard error of its pixel, if that is known and above 0.
    std::optional<double> largest_in_std_errors;
    int64_t pixels_with_error = 0;  ///< those whose error is known and above 0
};

/// The differences of the targets (empty: all), first minus second, in the order of `first`. Throws
/// InputError with all problems when a target is in one result alone or differs in surface, pixels
/// or unit; `first_name` and `second_name` name them in messages.
std::vector<FluxDifference> flux_differences(const RunResult& first,
                                             const RunResult& second,
                                             const std::vector<std::string>& targets,
                                             const std::string& first_name,
                                             const std::string& second_name);

/// A page of maps of differences with colours about 0; `differences` outlives it.
PlotPage difference_page(const std::vector<FluxDifference>& differences,
                         const RunResult& first,
                         const RunResult& second);

/// Table of the differences for people.
std::string difference_table(const std::vector<FluxDifference>& differences);

}  // namespace helioray
