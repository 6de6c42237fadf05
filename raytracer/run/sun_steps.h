// SPDX-License-Identifier: MIT
// Steps of a series with their positions of the sun.
#pragma once

#include "raytracer/results/series/series.h"
#include "raytracer/tracing/job/result.h"
#include "scenario/types/run_config.h"
#include "scenario/types/types.h"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace helioray {

/// A step with the sun above the horizon.
struct LitStep {
    SunPosition position;    ///< position in the configuration
    std::string time;        ///< time, ISO 8601; empty if not known
    double azimuth = 0.0;    ///< azimuth, radians, clockwise from north, [0, 2 pi)
    double elevation = 0.0;  ///< elevation, radians
    Vec3 direction{};        ///< unit vector to the sun, ENU
    double dni = 0.0;        ///< direct normal irradiance, W/m2
    /// Aims of this step, if aim.file has rows for each step or heliostats are parked
    /// (PrepareOptions::parks_unreachable); null: those of the configuration.
    std::shared_ptr<const AimConfig> aim;
    /// Temperature of the air, °C; not set: unknown.
    std::optional<double> temperature = {};
};

/// Steps with the sun above the horizon, and the omitted ones.
struct LitSteps {
    std::vector<LitStep> steps;  ///< at least one
    /// Omitted steps: "2026-06-21T03:00:00+02:00: the sun is 5.1 degrees ...".
    std::vector<std::string> left_out;
};

/// Computes the steps of a series for a plant. Throws InputError listing every dark step if the
/// series does not omit dark steps, and if no step is lit. Precondition: config.series.
LitSteps lit_steps(const SunConfig& config, const GeodeticPosition& plant);

/// Returns a label for messages: the time, or "azimuth 180.00, elevation 45.00 degrees".
std::string label_of(const LitStep& step);

/// Returns the data stored with a step's result. seconds: tracing time.
SeriesStep step_facts(const LitStep& step, double seconds);

/// Returns the configuration of a run of one step.
RunConfig config_of_step(const RunConfig& config, const LitStep& step);

/// Adds heliostats that are turned off only in this step, without power, so that the results of all
/// steps have the same heliostats. step: configuration of the step.
void add_idle_heliostats(RunResult& result, const RunConfig& step, const Scenario& scenario);

}  // namespace helioray
