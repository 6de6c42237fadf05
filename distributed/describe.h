// SPDX-License-Identifier: MIT
// What was found out about the launcher, as a table for people.
#pragma once

#include "distributed/launcher.h"

#include <string>
#include <utility>
#include <vector>

namespace helioray {

/// Rows (label, value): launcher and why, rank, local rank, store address and who serves it,
/// variables used, warnings.
std::vector<std::pair<std::string, std::string>> describe_rows(const LaunchInfo& launch);

/// The rows as text, labels padded to one width, each line ending in a newline.
std::string describe(const LaunchInfo& launch);

}  // namespace helioray
