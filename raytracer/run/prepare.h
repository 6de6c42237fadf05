// SPDX-License-Identifier: MIT
// Everything of a run that can go wrong before work begins.
#pragma once

#include "raytracer/job/trace_job.h"
#include "raytracer/results/run_parts.h"
#include "raytracer/run/device.h"
#include "raytracer/run/options.h"
#include "raytracer/run/sun_steps.h"
#include "scenario/config/reader.h"
#include "scenario/run_config.h"
#include "scenario/types.h"

#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace helioray::run {

/// A run that is checked, loaded, aligned and planned.
struct PreparedRun {
    RunConfig config;                          ///< what to trace
    std::shared_ptr<const Scenario> scenario;  ///< where
    DeviceChoice device;                       ///< on what
    std::unique_ptr<TraceJob> job;             ///< of a series: with the sun of its first step
    std::vector<LitStep> steps;                ///< of a series; empty for a single run
    /// What is finished of it while it is in work; nothing for a single run that writes no result
    /// or cannot be recognised: without the text of its configuration or without a scenario file.
    std::unique_ptr<RunParts> parts;
    bool restart = false;          ///< forget earlier parts
    std::optional<Shard> shard;    ///< of a series: trace these steps alone and join none
    bool join = false;             ///< of a series: all steps must be finished
    std::filesystem::path output;  ///< empty: write no file
    std::filesystem::path image;   ///< empty: draw no picture
    /// Values by key, those of input files by their contents; compared between ranks.
    std::map<std::string, std::string> settings;
    std::string scenario_sha256;  ///< of the file; empty for a scenario without one

    /// Whether it has steps: see trace_series().
    bool is_series() const { return !steps.empty(); }

    /// Forgets the parts, on rank 0: to be called once everything is written that is made of the
    /// run.
    void remove_parts() {
        if (parts) parts->remove();
    }
};

/// Options beside the configuration.
struct PrepareOptions {
    /// Traced in place of the file that the configuration names; nothing: that file. Not for
    /// a series, which has to recognise its scenario when it is continued.
    std::shared_ptr<const Scenario> scenario;
    bool restart = false;        ///< what earlier starts have finished will be removed
    std::optional<Shard> shard;  ///< of a series: trace these steps alone and join none
    bool join = false;  ///< of a series: trace nothing; every step is finished or it is an error
    /// Section aiming is checked, with its limits, and part of what recognises finished steps.
    bool chooses_aims = false;
    /// Of a series: heliostats that cannot follow the sun of a step are turned off in it, with a
    /// warning; otherwise they are an error.
    bool parks_unreachable = false;
    /// Of these, how many steps at the end nobody asked for: they only check what lies between the
    /// others. Messages say so, and name --no-checks, which leaves them out.
    std::size_t num_checks = 0;
    std::string recognised_by;     ///< text that does so, too
    std::size_t num_variants = 1;  ///< runs that are kept as parts, of which this one is the first
    int num_threads = 1;           ///< that align and prepare, at most; no result depends on them
    Log log;                       ///< warnings of scenario and alignment
};

/// Loads and checks everything the configuration names and prepares the job; of a series that of
/// the first step, as a check. Neither files nor pictures are written here: the configuration's
/// outputs are checked, so that a run does not fail in the end. Throws InputError with every
/// problem of scenario, outputs and aims as far as they can be found.
PreparedRun prepare(RunConfig config, const PrepareOptions& options = {});

/// The same for a configuration that may have problems already; they are reported with the others.
PreparedRun prepare(DraftRunConfig draft, const PrepareOptions& options = {});

}  // namespace helioray::run
