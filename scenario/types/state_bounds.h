// SPDX-License-Identifier: MIT
// Upper limits of what a table of states gives, for callers that look at all times at once.
#pragma once

#include "scenario/types/heliostat_state.h"

#include <optional>
#include <string>

namespace helioray {

/// Returns the largest value that a heliostat has at any time, `common` where no row sets it.
double largest_value(const StateConfig& state,
                     const std::string& name,
                     std::optional<double> MirrorState::*member,
                     double common);

}  // namespace helioray
