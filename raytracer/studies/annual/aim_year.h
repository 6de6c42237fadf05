// SPDX-License-Identifier: MIT
// Chooses aim points at the sun positions of a year, at several irradiances if flux limits bind.
#pragma once

#include "raytracer/run/prepare.h"
#include "raytracer/run/session.h"
#include "raytracer/studies/annual/annual.h"
#include "raytracer/studies/annual/year_plan.h"
#include "scenario/types/run_config.h"

#include <optional>

namespace helioray {

/// Irradiances of a year at each of its sun positions. The highest one is that of the step
/// (LitStep::dni).
struct YearLight {
    double lowest = 0.0;  ///< Lowest irradiance as a fraction of the highest, 0 to 1
    int levels = 0;       ///< Number of irradiances, YearOptions::levels
};

/// Input of annual_yield() for a year with chosen aim points.
struct AimedYear {
    /// Provenance, heliostats and targets of the year, with one step per level
    SeriesResult series;
    YearLevels levels;  ///< Indices of the levels in the series, defocus losses and limits
};

/// Returns true if the configuration requires a year with aim points other than the default ones.
bool chooses_year_aims(const RunConfig& config);

/// Year that is ready to be traced.
struct YearRun {
    YearPlan plan;                   ///< Sun positions, sunlight and location
    std::optional<YearLight> light;  ///< Irradiances; only set if a strategy chooses aim points
};

/// Plans a year. config: receives the sun positions of the year instead of its own. how: records
/// that aim points are chosen. Throws InputError like plan_year() and config_of_year(), for an even
/// number of levels, and for options that a year does not support: a target flux map, which belongs
/// to a single sun position.
YearRun plan_year_run(const YearOptions& options, RunConfig& config, run::PrepareOptions& how);

/// Traces a planned year, which is the session's series, and chooses aim points if the plan
/// requires it. Returns the yield on rank 0, and nullopt on the other ranks and if the run is a
/// shard. Collective. Call prepared().remove_parts() after the output is written.
std::optional<AnnualYield> trace_year(run::Session& session, const YearRun& year);

/// Chooses aim points at all sun positions of the session's series according to the configuration
/// (RunConfig::aiming). Strategy optimize uses the aim points of strategy center as long as they
/// keep the limits. Above the irradiance at which they no longer do, it optimises aim points at
/// `light.levels` irradiances. The defocus loss of a heliostat that is turned off is the power that
/// it brings with strategy center. Other strategies ignore limits, so that one irradiance is
/// enough.
///
/// Finished positions are stored in prepared().parts, with the runs of strategy center; call
/// prepared().remove_parts() after the output is written. Collective; the results do not depend on
/// the numbers of threads, ranks, shards and restarts. Returns the year on rank 0, and nullopt on
/// the other ranks and if the run is a shard. Throws like aim_field() and run::find_missing().
std::optional<AimedYear> aim_year(run::Session& session, const YearLight& light);

}  // namespace helioray
