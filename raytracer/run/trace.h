// SPDX-License-Identifier: MIT
// From a prepared run to its result.
#pragma once

#include "raytracer/result.h"
#include "raytracer/run/session.h"

#include <optional>

namespace helioray::run {

/// Traces the session's run on all ranks. Collective. Returns the result on rank 0, complete but
/// for its total time and memory, and nothing on the others; writes no file. Throws as
/// Session::trace(), and std::logic_error for a series and for a run that has been traced.
std::optional<RunResult> trace(Session& session);

}  // namespace helioray::run
