// SPDX-License-Identifier: MIT
// Series: one trace after the other, each finished one stored.
#pragma once

#include "raytracer/run/session.h"
#include "raytracer/series/series.h"

#include <filesystem>
#include <optional>

namespace helioray::run {

/// Traces the steps of the session's series that are not finished; rank 0 keeps each as a part
/// beside the run's output and joins them all in `file`. Collective. Returns the series on rank 0,
/// complete but for total time and memory, and nothing on the others. The parts stay, so that the
/// same run continues after an interruption: prepared().parts->remove() once everything is written
/// that is made of them. Throws as Session::trace(), InputError where a step cannot be traced or
/// another process works on the series, std::logic_error for a run without steps.
std::optional<SeriesResult> trace_series(Session& session, const std::filesystem::path& file);

}  // namespace helioray::run
