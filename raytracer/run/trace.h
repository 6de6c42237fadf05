// SPDX-License-Identifier: MIT
// From a prepared run to its result: a single trace, and series, one trace after the other.
#pragma once

#include "raytracer/job/result.h"
#include "raytracer/results/series.h"
#include "raytracer/run/session.h"

#include <filesystem>
#include <optional>

namespace helioray::run {

/// Traces the session's run on all ranks. Collective. Returns the result on rank 0, complete but
/// for its total time and memory, and nothing on the others; writes no file. Throws as
/// Session::trace(), and std::logic_error for a series and for a run that has been traced.
std::optional<RunResult> trace(Session& session);

/// Traces the steps of the session's series that are not finished; rank 0 keeps each as a part
/// beside the run's output and joins them all in `file`. Collective. Returns the series on rank 0,
/// complete but for total time and memory, and nothing on the others. The parts stay, so that the
/// same run continues after an interruption: prepared().parts->remove() once everything is written
/// that is made of them. Throws as Session::trace(), InputError where a step cannot be traced or
/// another process works on the series, std::logic_error for a run without steps.
std::optional<SeriesResult> trace_series(Session& session, const std::filesystem::path& file);

}  // namespace helioray::run
