// SPDX-License-Identifier: MIT
// Aims that change from step to step of a series: aim.file with a column time or step.
#pragma once

#include "scenario/run_config.h"

#include <string>
#include <vector>

namespace helioray {

/// Section aim of each step of a series; nothing where aim.file is absent or has neither column.
/// times: of the steps, ISO 8601 with any offset from UTC, matched as instants; a table with the
/// column step has the steps' numbers from 0. The configuration's own settings of heliostats go
/// before their rows, as they do in a table without steps. Throws InputError for steps without
/// rows, for a heliostat with several targets, and for faults of the table.
std::vector<AimConfig> aims_of_steps(const RunConfig& config,
                                     const std::vector<std::string>& times);

}  // namespace helioray
