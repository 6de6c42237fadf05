// SPDX-License-Identifier: MIT
// The part of a configuration that decides what numbers come out.
#pragma once

#include "scenario/run_config.h"

#include <string>

namespace helioray {

/// The configuration without what changes no number: output files, device, processes, and the names
/// of input files, in whose place stand the contents that were read from them (a tabulated sun
/// shape). The scenario and the positions of a series are left out; whoever compares configurations
/// compares them as well.
std::string determining_text(const RunConfig& config);

}  // namespace helioray
