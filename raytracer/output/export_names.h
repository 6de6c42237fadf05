// SPDX-License-Identifier: MIT
// What the exports have in common: names of files and places of pixels. Internal to export_*.cpp.
#pragma once

#include "raytracer/result.h"

#include <cstdint>
#include <string>
#include <vector>

namespace helioray {

/// A part of a file name for every target, each once (file systems may not know upper from lower
/// case).
std::vector<std::string> target_file_names(const RunResult& result);

/// Standard errors of all pixels; NaN where they are unknown.
std::vector<double> std_errors(const TargetResult& target);

/// Centre of pixel `index` of `count` that tile `extent` metres, from the middle of the extent.
inline double pixel_centre(std::int64_t index, std::int64_t count, double extent) {
    return ((static_cast<double>(index) + 0.5) / static_cast<double>(count) - 0.5) * extent;
}

}  // namespace helioray
