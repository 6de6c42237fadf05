// SPDX-License-Identifier: MIT
// Traces a prepared run: a single run, or the steps of a series in succession.
#pragma once

#include "raytracer/results/series/series.h"
#include "raytracer/run/clock.h"
#include "raytracer/run/session.h"
#include "raytracer/tracing/job/result.h"

#include <cstddef>
#include <filesystem>
#include <functional>
#include <optional>
#include <vector>

namespace helioray::run {

/// Traces the session's run on all ranks. Collective. Returns the result on rank 0, complete except
/// for its total time and memory, and no value on the other ranks. Stores checkpoints beside the
/// run's output every output.checkpoint_minutes, and when the run ends unfinished after a minute or
/// more; the same run continues from them. Call prepared().remove_parts() after the result has been
/// written. Throws like Session::trace(), InputError if another process works on the run, and
/// std::logic_error for a series and for a run that has already been traced.
std::optional<RunResult> trace(Session& session);

/// Traces a job that every rank has prepared alike, and completes its result like trace(session).
/// Collective. Stores no checkpoints. Throws like Session::trace().
std::optional<RunResult> trace(Session& session, TraceJob& job);

/// Steps of a series that this start has to trace.
struct MissingSteps {
    std::vector<size_t> steps;  ///< indices of the steps, ascending; for a shard only its own
    size_t done_before = 0;  ///< number of steps that earlier starts have finished, over all shards
};

/// Opens the parts of the session's series and finds the steps that are not finished, on rank 0,
/// which sends them to all ranks. Collective. Throws InputError if another process works on the
/// series, and if all steps must be finished (PreparedRun::join) but are not.
MissingSteps find_missing(Session& session);

/// Statistics of the tracing of a series.
struct TracedSteps {
    size_t done_before = 0;  ///< number of steps that earlier starts have traced
    /// Rays per second of all ranks together in this start; 0 if no step was missing.
    double rays_per_second = 0.0;
};

/// Traces the steps of the session's series that are not finished; rank 0 stores each as a part
/// (RunParts::part()) beside the run's output. Collective. Returns statistics on rank 0, and no
/// value on other ranks or if the run is a shard. The parts remain, and it throws, as in
/// trace_series().
std::optional<TracedSteps> trace_steps(Session& session);

/// Traces the series like trace_steps() and joins all parts in `file`. Collective. Returns the
/// series on rank 0, complete except for total time and memory, and no value on other ranks or if
/// the run is a shard, which ends with its parts. The parts remain, so that the run can be
/// continued after an interruption: call prepared().remove_parts() after all results have been
/// written. Throws like Session::trace(), InputError if a step cannot be traced or another process
/// works on the series, and std::logic_error for a run without steps.
std::optional<SeriesResult> trace_series(Session& session, const std::filesystem::path& file);

/// Traces the series without joining a file: returns the series read from its parts, with the
/// energy of every heliostat.
std::optional<SeriesResult> trace_series(Session& session);

/// Traces the session's run as a program does: traces it like trace(), calls `write_files` on rank
/// 0, removes what is stored beside the output, and logs the warnings about the result. Collective.
/// Returns the result on rank 0 with its memory and the time since `start`. Throws like trace() and
/// `write_files`.
std::optional<RunResult> run_single(Session& session,
                                    Clock::time_point start,
                                    const std::function<void(const RunResult&)>& write_files);

/// Traces the session's series like run_single(), and joins it in the configuration's output.
/// `write_files` writes further files.
std::optional<SeriesResult> run_series(Session& session,
                                       Clock::time_point start,
                                       const std::function<void(const SeriesResult&)>& write_files);

}  // namespace helioray::run
