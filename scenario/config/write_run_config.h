// SPDX-License-Identifier: MIT
// Writes a run configuration: what importers of other formats find beside the plant.
#pragma once

#include "scenario/run_config.h"

#include <string>

namespace helioray {

/// YAML text that the reader of run configurations takes back: scenario (the path as it stands),
/// sun with its shape where it is Gaussian or a pillbox, aim, reflectivity, slope and specularity
/// errors, obstacles, rays per heliostat, and output. Other settings are left to their defaults.
/// `comment`: lines for the head of the file, without '#'.
std::string run_config_text(const RunConfig& config, const std::string& comment);

}  // namespace helioray
