// SPDX-License-Identifier: MIT
// Horizontal axis of graphs over the steps of a series: time of day, dates, or numbers of steps.
#pragma once

#include "app/output/plot/drawing/axes.h"
#include "raytracer/results/series/series.h"

#include <cstddef>
#include <string>
#include <vector>

namespace helioray {

/// An axis with the positions of all steps.
struct StepAxis {
    Axis axis;                        ///< ticks at full hours, dates or steps
    std::vector<double> places;       ///< position of each step, hours or numbers
    std::vector<std::size_t> breaks;  ///< first steps of the days after the first
};

/// Returns the axis for a graph of this width in points. Times, which must grow and span at most
/// 40 days, have the offset from UTC of the first step. Other series have the numbers of their
/// steps.
StepAxis make_step_axis(const SeriesResult& series, double width);

/// Returns the time of a step for a title, "12:00" or with several days "2026-06-21 12:00"; the
/// number of the step if it has no time.
std::string short_step_name(const SeriesResult& series, std::size_t step);

/// Returns "2026-06-21 06:00 to 21:00 (UTC+02:00)"; empty unless all steps have times.
std::string time_span_text(const SeriesResult& series);

}  // namespace helioray
