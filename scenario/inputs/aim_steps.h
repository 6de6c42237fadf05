// SPDX-License-Identifier: MIT
// Reads aims that change from step to step of a series: aim.file with a column time or step.
#pragma once

#include "scenario/types/run_config.h"

#include <string>
#include <vector>

namespace helioray {

/// Returns section aim for each step of a series, or nothing if aim.file is absent or has neither
/// column. `times` are the times of the steps in ISO 8601 with any offset from UTC; they are
/// matched as instants. A table with the column step has the numbers of the steps, from 0. The
/// configuration's own settings of heliostats take precedence over their rows, as in a table
/// without steps. Throws InputError for steps without rows, for heliostats with several targets,
/// and for faults of the table.
std::vector<AimConfig> read_step_aims(const RunConfig& config,
                                      const std::vector<std::string>& times);

}  // namespace helioray
