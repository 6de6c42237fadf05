// SPDX-License-Identifier: MIT
// Traces the sun positions of an efficiency table on all ranks.
#pragma once

#include "raytracer/run/prepare.h"
#include "raytracer/run/session.h"
#include "raytracer/studies/annual/year_plan.h"
#include "raytracer/studies/efficiency/efficiency.h"
#include "scenario/types/run_config.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

namespace helioray {

/// Returns azimuths every 15 degrees, and elevations of 5, 10, 15, 20, 30, 40, 50, 60, 75 and 90
/// degrees; for a year, starting at its lowest elevation.
SunRectangle default_rectangle(const std::optional<YearPositions>& year);

/// Positions of a table.
struct EfficiencyOptions {
    /// Sun positions of the entries; not set: default_rectangle().
    std::optional<SunRectangle> suns;
    /// Positions to trace instead of the entries, which are then interpolated; not set: the entries
    /// are traced.
    std::optional<YearPositions> year;
    bool has_checks = true;  ///< include the middles of cells, as in EfficiencyPlan
};

inline constexpr std::int64_t kEfficiencyMapWidth = 36;   ///< Default width of flux maps, pixels
inline constexpr std::int64_t kEfficiencyMapHeight = 24;  ///< Default height of flux maps, pixels

/// Returns a warning that a table does not use aiming.strategy if the configuration sets it;
/// otherwise an empty text.
std::string aiming_warning(const RunConfig& config);

/// Plans a table. config: receives the positions as its series, without clouds and pictures.
/// scenario: see PrepareOptions; null: reads the file of the configuration. Throws InputError like
/// config_of_positions() and SkyGrid.
EfficiencyPlan plan_efficiency(const EfficiencyOptions& options,
                               RunConfig& config,
                               const std::shared_ptr<const Scenario>& scenario = nullptr);

/// Traces the plan's positions, which are the session's series. Collective. Returns the table on
/// rank 0, and no value on other ranks or if the run is a shard. Finished positions remain as
/// parts, so that the run can be continued after an interruption: call prepared().remove_parts()
/// after the table has been written. Throws like run::trace_steps().
std::optional<EfficiencyTable> trace_efficiency(run::Session& session, const EfficiencyPlan& plan);

}  // namespace helioray
