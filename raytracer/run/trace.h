// SPDX-License-Identifier: MIT
// From a prepared run to its result: a single trace, and series, one trace after the other.
#pragma once

#include "raytracer/job/result.h"
#include "raytracer/results/series.h"
#include "raytracer/run/session.h"

#include <cstddef>
#include <filesystem>
#include <optional>
#include <vector>

namespace helioray::run {

/// Traces the session's run on all ranks. Collective. Returns the result on rank 0, complete but
/// for its total time and memory, and nothing on the others. Keeps what is traced beside the run's
/// output every output.checkpoint_minutes, and when it ends unfinished after a minute or more: the
/// same run continues from there. prepared().remove_parts() once the result is written. Throws as
/// Session::trace(), InputError where another process works on a run that is continued, and
/// std::logic_error for a series and for a run that has been traced.
std::optional<RunResult> trace(Session& session);

/// Traces a job of the program's own, which every rank has prepared alike, and completes its result
/// as trace() does. Collective; nothing of it is kept for a later start. Throws as
/// Session::trace().
std::optional<RunResult> trace(Session& session, TraceJob& job);

/// Steps of a series that this start has to do.
struct MissingSteps {
    std::vector<size_t> steps;  ///< ascending; of a shard its own
    size_t done_before = 0;     ///< by earlier starts, of all steps
};

/// Opens the parts of the session's series and finds the steps that are not finished: rank 0 looks,
/// all ranks learn. Collective. Throws InputError where another process works on the series, and
/// where all steps have to be finished (PreparedRun::join) and are not.
MissingSteps find_missing(Session& session);

/// How a series was traced by this start and those before it.
struct TracedSteps {
    size_t done_before = 0;        ///< steps of earlier starts
    double rays_per_second = 0.0;  ///< of all ranks together, in this start; 0: nothing was missing
};

/// Traces the steps of the session's series that are not finished; rank 0 keeps each as a part
/// (RunParts::part()) beside the run's output. Collective. Returns how on rank 0, and nothing on
/// the others, nor where the run is a shard. The parts stay as with trace_series(); throws as that.
std::optional<TracedSteps> trace_steps(Session& session);

/// The same, and joins all parts in `file`. Collective. Returns the series on rank 0,
/// complete but for total time and memory, and nothing on the others, nor where the run is a shard,
/// which ends with its parts. The parts stay, so that the same run continues after an interruption:
/// prepared().remove_parts() once everything is written that is made of them. Throws as
/// Session::trace(), InputError where a step cannot be traced or another process works on the
/// series, std::logic_error for a run without steps.
std::optional<SeriesResult> trace_series(Session& session, const std::filesystem::path& file);

/// The same without a file: the series that the parts are, with the energy of every heliostat.
std::optional<SeriesResult> trace_series(Session& session);

}  // namespace helioray::run
