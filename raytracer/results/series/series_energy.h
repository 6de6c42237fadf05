// SPDX-License-Identifier: MIT
// Energies of a series with times: sums over its days, their errors, and the field with energies
// instead of powers.
#pragma once

#include "raytracer/results/series/series.h"
#include "raytracer/tracing/job/result.h"

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace helioray {

/// Steps of a series that follow each other without a night between them.
struct SeriesDay {
    std::size_t first = 0;  ///< first step
    std::size_t end = 0;    ///< step after the last
};

/// Durations that the steps of a series represent: a step counts until the middle of the gap to
/// each of its neighbours in the same day (the trapezoidal rule).
struct SeriesDurations {
    std::vector<SeriesDay> days;          ///< days in the order of the series
    std::vector<double> seconds;          ///< duration of each step, s, [T]
    std::vector<double> without_seconds;  ///< durations without every second step of a day, s, [T]
};

/// An energy with its errors.
struct SeriesEnergy {
    double value = 0.0;  ///< energy, J
    /// Upper limit of the error from the finite number of rays, J: the sum of the steps' standard
    /// errors, because all steps use the same random numbers.
    double std_error = 0.0;
    /// Error from the finite number of steps, J: the change of the sum without every second step.
    double step_error = 0.0;
};

/// Returns the durations. A day ends where the next step is more than six hours later. Returns no
/// value unless every step has a time, times grow, some day has two steps, and powers are in W.
std::optional<SeriesDurations> series_durations(const SeriesResult& series);

/// Returns the seconds since 1970 of each step; empty unless every step has a time.
std::vector<double> step_instants(const SeriesResult& series);

/// Returns the standard error of the power on all targets in one step, W. Rays of different targets
/// are independent.
double power_std_error(const SeriesResult& series, std::size_t step);

/// Returns the energy on all targets during some of the steps.
SeriesEnergy energy_on_targets(const SeriesResult& series,
                               const SeriesDurations& durations,
                               const SeriesDay& steps);

/// Returns the field for pictures and tables of the whole series: mirrors and targets as in
/// `plant`, a step of it, without flux. Energy terms are those of all steps, J (unit "J"); without
/// durations they are means over the steps, in the unit of the series.
RunResult series_plan(const SeriesResult& series,
                      const std::optional<SeriesDurations>& durations,
                      const RunResult& plant);

}  // namespace helioray
