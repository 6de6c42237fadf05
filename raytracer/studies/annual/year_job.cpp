// SPDX-License-Identifier: MIT
// Prepares the run of a year, and writes its result.
#include "raytracer/studies/annual/year_job.h"

#include "raytracer/studies/annual/annual_file.h"

#include <utility>

namespace helioray {

run::PreparedRun YearJob::prepare(DraftRunConfig draft, run::PrepareOptions how) {
    // If the configuration is faulty, preparing it reports all problems.
    if (draft.problems.empty()) {
        year_ = plan_year_run(options_, draft.config, how);
        draft.config.output.file = output_;
    }
    return run::prepare(std::move(draft), how);
}

std::optional<AnnualYield> YearJob::run(
    run::Session& session, const std::function<void(const AnnualYield&)>& write_others) const {
    std::optional<AnnualYield> yield = trace_year(session, *year_);
    if (!yield) return std::nullopt;
    session.check_stop();
    run::PreparedRun& prepared = session.prepared();
    write_annual(*yield, prepared.output);
    if (write_others) write_others(*yield);
    prepared.remove_parts();
    const run::Log& log = session.options().log;
    for (const std::string& note : yield->notes) write(log, run::LogLevel::warning, note);
    for (const std::string& text : light_warnings(*yield)) write(log, run::LogLevel::warning, text);
    return yield;
}

}  // namespace helioray
