// SPDX-License-Identifier: MIT
// The circumstances of a result, for pictures, tables and reports: time, irradiance, extent of the
// field, bodies, and heliostats that are off.
#pragma once

#include "raytracer/tracing/job/result.h"
#include "scenario/types/run_config.h"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace helioray {

/// A heliostat of the scenario that the result does not contain.
struct IdleHeliostat {
    std::string name;  ///< name in the scenario
    Vec3 position{};   ///< pivot, metres, ENU
};

/// Bodies and idle heliostats, which stand in the field beside those that a result contains.
struct Surroundings {
    std::vector<ObstacleConfig> obstacles;  ///< bodies of the configuration, such as the tower
    std::vector<IdleHeliostat> idle;        ///< heliostats that are off or out of order, by name
    /// Reason why heliostats that are off are not known; empty if they are known.
    std::string unknown;
    /// Mirrors of the result's heliostats, in its order; empty if the scenario is not known.
    std::vector<std::shared_ptr<const Surface>> mirrors = {};
    std::string terrain = {};  ///< file of the terrain in the configuration; empty: none
    /// Heights of the terrain; null: there is none, or its file is not there any more.
    std::shared_ptr<const Terrain> ground = nullptr;
};

/// Reads the surroundings from the configuration that the result stores and from its scenario file.
/// If that file is not there any more or has changed, `idle` is empty and `unknown` says so.
Surroundings read_surroundings(const RunResult& result);

/// Returns "4 heliostats off: AA31, AA35, ..." with the first few names, or the reason why they are
/// not known; empty if none is off.
std::string idle_text(const Surroundings& surroundings);

/// Returns "50 heliostats, 12 to 380 m from the tower, mirrors 3.0 x 2.0 m"; distances are
/// horizontal, from the mirror to its aim point. Without heliostats it is empty.
std::string field_extent_text(const RunResult& result);

/// Returns the time of a single run and its direct normal irradiance: "2026-06-21T12:00:00+02:00  ·
/// DNI 850 W/m²"; for a step of a series its label, which has both. Empty if not known.
std::string light_text(const RunResult& result);

/// Returns two lines for below a title: time, sun, irradiance and rays; extent of the field.
std::string run_text(const RunResult& result);

}  // namespace helioray
