// SPDX-License-Identifier: MIT
// Traces the sun positions of an efficiency table on all ranks.
#pragma once

#include "raytracer/annual/year_plan.h"
#include "raytracer/efficiency/efficiency.h"
#include "raytracer/run/prepare.h"
#include "raytracer/run/session.h"
#include "scenario/run_config.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

namespace helioray {

/// Azimuths every 15 degrees, and elevations of 5, 10, 15, 20, 30, 40, 50, 60, 75 and 90 degrees;
/// in a year from its lowest elevation on.
SunRectangle default_rectangle(const std::optional<YearPositions>& year);

/// Which positions a table has.
struct EfficiencyOptions {
    /// The entries; nothing: default_rectangle().
    std::optional<SunRectangle> suns;
    /// Traced in place of the entries, which are interpolated; nothing: the entries are traced.
    std::optional<YearPositions> year;
    bool has_checks = true;  ///< as in EfficiencyPlan
};

/// Pixels of the flux maps of a table where the configuration does not choose them.
inline constexpr std::int64_t kEfficiencyMapWidth = 36;
inline constexpr std::int64_t kEfficiencyMapHeight = 24;

/// Says that a table does without aiming.strategy, where the configuration has it; empty where it
/// has not.
std::string aiming_warning(const RunConfig& config);

/// Plans a table. config: gets the positions as its series, without clouds and pictures. scenario:
/// see PrepareOptions; nothing: the configuration's file is read. Throws InputError as
/// config_of_positions() and SkyGrid.
EfficiencyPlan plan_efficiency(const EfficiencyOptions& options,
                               RunConfig& config,
                               const std::shared_ptr<const Scenario>& scenario = nullptr);

/// Traces the plan's positions, which are the session's series. Collective. Returns the table on
/// rank 0 and nothing on the others, nor where the run is a shard. Finished positions stay as
/// parts, so that the same run continues after an interruption: prepared().remove_parts() once the
/// table is written. Throws as run::trace_steps().
std::optional<EfficiencyTable> trace_efficiency(run::Session& session, const EfficiencyPlan& plan);

}  // namespace helioray
