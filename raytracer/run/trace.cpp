// SPDX-License-Identifier: MIT
// The single run.
#include "raytracer/run/trace.h"

#include "raytracer/run/provenance.h"

#include <stdexcept>

namespace helioray::run {

std::optional<RunResult> trace(Session& session) {
    PreparedRun& run = session.prepared();
    if (run.is_series()) throw std::logic_error("a series is traced by trace_series()");
    if (!run.job) throw std::logic_error("this run has been traced");
    const std::unique_ptr<TraceJob> job = std::move(run.job);
    const double seconds = session.trace(*job);
    if (!session.is_root()) return std::nullopt;
    RunResult result = job->result();
    complete_provenance(result.provenance, run, session.environment());
    result.provenance.fingerprint = fingerprint(job->sums());
    result.trace_seconds = seconds;
    result.rays_per_second = static_cast<double>(result.provenance.rays) / seconds;
    return result;
}

}  // namespace helioray::run
