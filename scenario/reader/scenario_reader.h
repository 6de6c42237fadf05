// SPDX-License-Identifier: MIT
// Reads scenario files: HDF5 in ARTIST's format with our extensions.
#pragma once

#include "scenario/types/run_config.h"
#include "scenario/types/types.h"

#include <filesystem>
#include <optional>
#include <set>
#include <string>

namespace helioray {

/// Reads and checks a complete scenario.
///
/// Accepts files of ARTIST 2.0.0 and typical hand-made files: any numeric type, (1, 4) for (4,),
/// (1,) for scalars, booleans as enums or integers, missing empty target groups, unknown extra
/// datasets. Prototypes may be missing if every heliostat has its own component; then those of the
/// first heliostat become the prototypes. Equal components of several heliostats are shared in
/// memory; one that equals its prototype is the prototype.
///
/// Missing deviations and linear actuators' missing initial angle and stroke length are 0, and
/// directions are normalised; `Scenario::warnings` reports this, one line per kind. An opening
/// angle above 2 pi and up to 360 is stored with a warning, because ARTIST's samples contain
/// degrees there. Heliostats that are too far from every target cause a warning, see
/// unlikely_places().
///
/// Throws InputError with all problems of the file, each by HDF5 path: missing or wrongly typed or
/// shaped datasets, values that are not finite, sizes that are not positive, zero directions,
/// cylinder axes not perpendicular to their normals, splines with too few control points, a number
/// of actuators other than two, mixed actuator types, unknown kinds, linear actuators without
/// increment, offset or pivot radius, no target, light source or heliostat.
///
/// Also reads large fields whose heliostats are stored in columns (see ScenarioFormat).
///
/// only: names of the heliostats to read; the others only have their names, and no components. In
/// files of thousands of heliostats, reading a few of them takes milliseconds.
Scenario read_scenario(const std::filesystem::path& path,
                       const std::optional<std::set<std::string>>& only = std::nullopt);

/// Reads the scenario of a configuration and adds the configuration's receivers. Throws InputError
/// as read_scenario() and add_receivers() do.
Scenario read_scenario(const RunConfig& config);

}  // namespace helioray
