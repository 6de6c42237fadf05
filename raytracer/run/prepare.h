// SPDX-License-Identifier: MIT
// Everything of a run that can go wrong before work begins.
#pragma once

#include "app/raytrace_options.h"
#include "raytracer/run/device.h"
#include "raytracer/series/series_parts.h"
#include "raytracer/series/sun_steps.h"
#include "raytracer/trace_job.h"
#include "scenario/config/reader.h"
#include "scenario/run_config.h"
#include "scenario/types.h"

#include <filesystem>
#include <memory>
#include <vector>

namespace helioray::app {

/// A run that is checked, loaded, aligned and planned.
struct PreparedRun {
    RunConfig config;
    std::shared_ptr<const Scenario> scenario;
    DeviceChoice device;
    std::unique_ptr<TraceJob> job;       ///< nothing for a series: each step has its own
    std::vector<LitStep> steps;          ///< of a series; empty for a single run
    std::unique_ptr<SeriesParts> parts;  ///< of a series
    std::filesystem::path output;        ///< empty: write no file
    std::filesystem::path image;         ///< empty: draw no picture
    std::string configuration_hash;      ///< of configuration and scenario, compared between ranks
    std::string scenario_sha256;
};

/// Reads the configuration with the command line's overrides, as far as it can be understood. A
/// missing position of the sun is among its problems where one is required.
DraftRunConfig read_config(const RaytraceOptions& options,
                           SunPositions positions = SunPositions::required);

/// What happens to finished steps of a series that wait beside the output.
enum class Parts { keep, remove };

/// Loads and checks everything the configuration names and prepares the job; of a series that of
/// the first step, as a check. Throws InputError with every problem: those of the draft, and what
/// is wrong with the scenario, the outputs and the aims as far as they can be told.
PreparedRun prepare_run(DraftRunConfig draft, Parts parts = Parts::keep);

}  // namespace helioray::app
