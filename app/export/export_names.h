// SPDX-License-Identifier: MIT
// What the exports have in common: names of files and standard errors. Internal to export_*.cpp.
#pragma once

#include "raytracer/job/result.h"

#include <string>
#include <vector>

namespace helioray {

/// A part of a file name for every target, each once (file systems may not know upper from lower
/// case).
std::vector<std::string> target_file_names(const RunResult& result);

/// Standard errors of all pixels; NaN where they are unknown.
std::vector<double> std_errors(const TargetResult& target);

}  // namespace helioray
