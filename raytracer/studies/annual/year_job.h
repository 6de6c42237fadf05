// SPDX-License-Identifier: MIT
// Computes a year as a program does: plans it, prepares the run, traces, and writes the result.
#pragma once

#include "raytracer/studies/annual/aim_year.h"
#include "scenario/config/reader.h"

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace helioray {

/// A year of a configuration, for the frame of run::Session.
class YearJob {
  public:
    /// output: result file (HDF5), beside which finished positions are stored.
    YearJob(YearOptions options, std::filesystem::path output)
        : options_(std::move(options)), output_(std::move(output)) {}

    /// Plans the year and prepares its run. Throws InputError like plan_year_run() and
    /// run::prepare().
    run::PreparedRun prepare(DraftRunConfig draft, run::PrepareOptions how);

    /// Traces the year and writes the result file. write_others: called on rank 0 to write further
    /// files, before the finished positions are removed. Logs the warnings about the year. Returns
    /// the yield on rank 0, and nullopt on the other ranks and for a shard. Collective. Throws like
    /// trace_year().
    std::optional<AnnualYield> run(
        run::Session& session,
        const std::function<void(const AnnualYield&)>& write_others = {}) const;

    /// Returns true if a strategy chooses the aim points, so that limits may be violated.
    bool chooses_aims() const { return year_ && year_->light; }

  private:
    YearOptions options_;
    std::filesystem::path output_;
    std::optional<YearRun> year_;  ///< the plan, once prepared
};

}  // namespace helioray
