// SPDX-License-Identifier: MIT
// Prepares a run and reports all errors that can be found before work begins.
#pragma once

#include "raytracer/results/series/run_parts.h"
#include "raytracer/run/device.h"
#include "raytracer/run/options.h"
#include "raytracer/run/sun_steps.h"
#include "raytracer/tracing/job/trace_job.h"
#include "scenario/config/reader.h"
#include "scenario/types/run_config.h"
#include "scenario/types/types.h"

#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace helioray::run {

/// A run that is checked, loaded, aligned and planned.
struct PreparedRun {
    RunConfig config;                          ///< configuration of the run
    std::shared_ptr<const Scenario> scenario;  ///< scenario to trace
    DeviceChoice device;                       ///< device to trace on
    /// Job of the run; for a series, with the sun of its first step.
    std::unique_ptr<TraceJob> job;
    std::vector<LitStep> steps;  ///< steps of a series; empty for a single run
    /// Finished parts of the run. Null for a single run that writes no result or cannot be
    /// recognised when continued: without the text of its configuration or without a scenario file.
    std::unique_ptr<RunParts> parts;
    bool restart = false;  ///< ignore earlier parts
    /// Shard of a series: only its steps are traced, and no steps are joined.
    std::optional<Shard> shard;
    bool join = false;             ///< all steps of the series must already be finished
    std::string time_zone;         ///< see PrepareOptions
    std::filesystem::path output;  ///< result file; empty for none
    std::filesystem::path image;   ///< picture file; empty for none
    /// Values by key, compared between ranks; input files are represented by their contents.
    std::map<std::string, std::string> settings;
    /// Hash of the scenario file; empty for a scenario without a file.
    std::string scenario_sha256;
    /// Aim points follow from traces of the run, so its jobs do not follow from this object alone.
    bool chooses_aims = false;

    /// Returns true for a series, see trace_series().
    bool is_series() const { return !steps.empty(); }

    /// Removes the parts, on rank 0. Call it after all results of the run have been written.
    void remove_parts() {
        if (parts) parts->remove();
    }
};

/// Options of the preparation besides the configuration.
struct PrepareOptions {
    /// Scenario to trace instead of the file in the configuration; null: the file. Not for a
    /// series, which must recognise its scenario when it is continued.
    std::shared_ptr<const Scenario> scenario;
    bool restart = false;  ///< remove the parts of earlier starts
    /// Shard of a series: only its steps are traced, and no steps are joined.
    std::optional<Shard> shard;
    bool join = false;  ///< trace nothing, and throw if a step of the series is not finished
    /// The section aiming is checked, with its limits, and is part of the identity of finished
    /// steps.
    bool chooses_aims = false;
    /// Heliostats that cannot follow the sun of a step of a series are turned off in this step,
    /// with a warning. Otherwise they cause an error.
    bool parks_unreachable = false;
    /// Number of check steps at the end of the series, which measure the interpolation error
    /// between the requested steps. Messages name the option --no-checks, which omits them.
    std::size_t num_checks = 0;
    /// Name of the time zone of a series' times ("Europe/Berlin"), for its result file. Empty: the
    /// times have their offsets from UTC alone.
    std::string time_zone;
    std::string recognised_by;  ///< further text that is part of the identity of finished steps
    /// Number of runs whose parts are stored, of which this run is the first.
    std::size_t num_variants = 1;
    /// Largest number of threads of the preparation; the result does not depend on it.
    int num_threads = 1;
    Log log;  ///< receives warnings about scenario and alignment
};

/// Loads and checks everything in the configuration and prepares the job; for a series the job of
/// the first step, as a check. Writes no files, but checks the configuration's outputs, so that a
/// run does not fail at its end. Throws InputError with all problems of scenario, outputs and aims
/// that can be found.
PreparedRun prepare(RunConfig config, const PrepareOptions& options = {});

/// Prepares a run from a configuration that may already have problems; they are reported with the
/// others.
PreparedRun prepare(DraftRunConfig draft, const PrepareOptions& options = {});

}  // namespace helioray::run
