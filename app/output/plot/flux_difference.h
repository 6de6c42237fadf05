// SPDX-License-Identifier: MIT
// Compares two results pixel by pixel.
#pragma once

#include "app/output/plot/drawing/plot_page.h"
#include "raytracer/tracing/job/result.h"

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace helioray {

/// One target of one result minus the same target of another.
struct FluxDifference {
    /// Name, geometry and unit of the target. flux is the difference; flux_std_error, power_w and
    /// power_std_error_w are those of the difference of independent runs (root of the sum of
    /// squares).
    TargetResult map;
    double rms = 0.0;      ///< root mean square of the difference, unit of the map
    double largest = 0.0;  ///< difference with the largest absolute value, with its sign
    /// Root of the ratio of the sum of squared differences to the sum of squared standard errors,
    /// over the pixels whose error is known and above 0. It is about 1 if independent runs differ
    /// by chance alone. The ratio of sums is used because errors from few rays are themselves
    /// uncertain. Empty without such pixels.
    std::optional<double> rms_in_std_errors;
    /// Largest difference divided by the standard error of its pixel; empty if that is unknown or
    /// 0.
    std::optional<double> largest_in_std_errors;
    int64_t pixels_with_error = 0;  ///< number of pixels whose error is known and above 0
};

/// Returns the differences of the targets (empty list: all targets), first minus second, in the
/// order of `first`. Throws InputError with all problems if a target is in one result alone or
/// differs in surface, pixels or unit; `first_name` and `second_name` name the results in messages.
std::vector<FluxDifference> flux_differences(const RunResult& first,
                                             const RunResult& second,
                                             const std::vector<std::string>& targets,
                                             const std::string& first_name,
                                             const std::string& second_name);

/// Returns a page of maps of differences with colours about 0; `differences` outlives it.
PlotPage difference_page(const std::vector<FluxDifference>& differences,
                         const RunResult& first,
                         const RunResult& second);

/// Returns a table of the differences for users.
std::string difference_table(const std::vector<FluxDifference>& differences);

}  // namespace helioray
