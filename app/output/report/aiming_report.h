// SPDX-License-Identifier: MIT
// Writes aim points as one self-contained web page.
#pragma once

#include "raytracer/solvers/aiming/aim_field.h"
#include "scenario/types/run_config.h"
#include "scenario/types/types.h"

#include <optional>
#include <string>

namespace helioray {

/// Returns a complete HTML document like html_report() for the verifying run, preceded by aiming:
/// power, bound, gap, largest fraction of a limit and shadow price of the limits; the panels of
/// aiming_parts(); the names of heliostats that are turned off; and violated limits. Without
/// `title`, the scenario file's name is the title.
std::string aiming_report(const aiming::AimingResult& result,
                          const RunConfig& config,
                          const Scenario& scenario,
                          const std::optional<std::string>& title = {});

}  // namespace helioray
