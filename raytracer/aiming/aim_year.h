// SPDX-License-Identifier: MIT
// Aim points at the sun positions of a year: where flux limits bind, at several irradiances.
#pragma once

#include "raytracer/annual/annual.h"
#include "raytracer/annual/year_plan.h"
#include "raytracer/run/prepare.h"
#include "raytracer/run/session.h"
#include "scenario/run_config.h"

#include <optional>

namespace helioray::aiming {

/// The irradiances of a year at each of its sun positions. The highest one is that of the step
/// (LitStep::dni).
struct YearLight {
    double lowest = 0.0;  ///< as a share of the highest, 0 to 1
    int levels = 0;       ///< YearOptions::levels
};

/// A year that annual_yield() takes.
struct AimedYear {
    SeriesResult series;  ///< provenance, heliostats and targets of the year, a step for each level
    YearLevels levels;    ///< their places in the series, defocus and limits
};

/// Whether the configuration asks a year for aim points other than the usual ones.
bool chooses_year_aims(const RunConfig& config);

/// A year that can be traced.
struct YearRun {
    YearPlan plan;                   ///< positions of the sun, sunlight, place
    std::optional<YearLight> light;  ///< where a strategy chooses aim points
};

/// Plans a year. config: gets the sun positions of the year in place of its own; how: says that aim
/// points are chosen. Throws InputError as plan_year() and config_of_year(), for an even number of
/// levels, and for what a year cannot have: a wanted map, which is that of one sun.
YearRun plan_year_run(const YearOptions& options, RunConfig& config, run::PrepareOptions& how);

/// Traces a planned year, the session's series, with aim points where they are chosen. Returns the
/// yield on rank 0 and nothing on the others, nor where the run is a shard. Collective.
/// prepared().remove_parts() once everything is written.
std::optional<AnnualYield> trace_year(run::Session& session, const YearRun& year);

/// Chooses aim points at all sun positions of the session's series as the configuration says
/// (RunConfig::aiming). Strategy optimize: aim points of strategy center wherever they keep the
/// limits, and above the irradiance at which they do not, the best ones at `light.levels`
/// irradiances. Of a heliostat that is turned off, the power that it brings with strategy center is
/// the defocus loss. Other strategies do not look at limits, so one irradiance is enough.
///
/// Finished positions are kept as prepared().parts, with the runs of strategy center:
/// prepared().remove_parts() once everything is written. Collective; equal results for any numbers
/// of threads, ranks, shards and starts. Returns the year on rank 0 and nothing on the others, nor
/// where the run is a shard. Throws as aim_field() and run::find_missing().
std::optional<AimedYear> aim_year(run::Session& session, const YearLight& light);

}  // namespace helioray::aiming
