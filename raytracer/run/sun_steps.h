// SPDX-License-Identifier: MIT
// The steps of a series: the position of the sun in each.
#pragma once

#include "raytracer/job/result.h"
#include "raytracer/results/series.h"
#include "scenario/run_config.h"
#include "scenario/types.h"

#include <memory>
#include <string>
#include <vector>

namespace helioray {

/// One position of the sun that gives light.
struct LitStep {
    SunPosition position;    ///< as it was configured
    std::string time;        ///< ISO 8601; empty where it is not known
    double azimuth = 0.0;    ///< radians, clockwise from north, [0, 2 pi)
    double elevation = 0.0;  ///< radians
    Vec3 direction{};        ///< unit vector to the sun, ENU
    double dni = 0.0;        ///< W/m2
    /// Of this step alone, where aim.file has rows for each step or heliostats are parked
    /// (PrepareOptions::parks_unreachable); nothing: the configuration's.
    std::shared_ptr<const AimConfig> aim;
};

/// Steps with the sun above the horizon, and which were left out.
struct LitSteps {
    std::vector<LitStep> steps;         ///< at least one
    std::vector<std::string> left_out;  ///< "2026-06-21T03:00:00+02:00: the sun is 5.1 degrees ..."
};

/// Resolves a series at a plant. Throws InputError, with every dark step, where the series does not
/// leave dark ones out, and when no step is lit. Precondition: config.series.
LitSteps lit_steps(const SunConfig& config, const GeodeticPosition& plant);

/// A step for people: its time, or "azimuth 180.00, elevation 45.00 degrees".
std::string label_of(const LitStep& step);

/// What is stored of the step beside its result. seconds: of tracing.
SeriesStep step_facts(const LitStep& step, double seconds);

/// The configuration of one step alone.
RunConfig config_of_step(const RunConfig& config, const LitStep& step);

/// Adds heliostats that are turned off in the step alone, without power, so that the results of all
/// steps have the same heliostats. step: its configuration.
void add_idle_heliostats(RunResult& result, const RunConfig& step, const Scenario& scenario);

}  // namespace helioray
