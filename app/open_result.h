// SPDX-License-Identifier: MIT
// Result files that users name on the command line.
#pragma once

#include "raytracer/result.h"

#include <filesystem>

namespace helioray::app {

/// Reads a result without the flux maps of single heliostats. Throws InputError for what is no
/// result file; says what to do when it is a configuration or a scenario.
RunResult open_result(const std::filesystem::path& file);

}  // namespace helioray::app
