// SPDX-License-Identifier: MIT
// Aim points as one web page that needs no other file.
#pragma once

#include "raytracer/aiming/aim_field.h"
#include "scenario/run_config.h"
#include "scenario/types.h"

#include <optional>
#include <string>

namespace helioray {

/// A complete HTML document as html_report() makes of the verifying run, with aiming before it:
/// power, bound, gap, largest share of a limit and price of the limits; the panels of
/// aiming_parts(); the names of heliostats that are turned off; and what cannot be met. Without
/// `title`, the scenario file's name is the title.
std::string aiming_report(const aiming::AimingResult& result,
                          const RunConfig& config,
                          const Scenario& scenario,
                          const std::optional<std::string>& title = {});

}  // namespace helioray
