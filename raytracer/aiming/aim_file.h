// SPDX-License-Identifier: MIT
// Files of chosen aim points: the table that aim.file reads, and the result of the verifying run.
#pragma once

#include "raytracer/aiming/aim_field.h"

#include <filesystem>

namespace helioray::aiming {

/// Writes CSV with the columns name, target, east, north, up (metres) and active, a row for each
/// heliostat of the scenario in its order; numbers keep their exact value. Heliostats that the
/// configuration leaves out have their default aim points and are not active, so that the file is
/// all that section aim needs; those with motor positions have no row. Completely or not at all;
/// throws std::runtime_error naming the file.
void write_aims(const AimingResult& result,
                const RunConfig& config,
                const Scenario& scenario,
                const std::filesystem::path& path);

/// Writes the verifying run as write_result() does, and beside it the group aiming: points of all
/// heliostats, flux before, limits and prices of all targets. Completely or not at all; throws
/// std::runtime_error naming the file.
void write_aiming_result(const AimingResult& result,
                         const Scenario& scenario,
                         const std::filesystem::path& path);

}  // namespace helioray::aiming
