// SPDX-License-Identifier: MIT
// Creates tables and JSON of reconstructed mirrors.
#pragma once

#include "raytracer/solvers/reconstruction/reconstruct_field.h"

#include <nlohmann/json.hpp>

#include <string>
#include <vector>

namespace helioray {

/// Returns the mean flux accuracy of some images, "before -> after"; "-" without images.
std::string accuracy_text(const std::vector<reconstruction::ImageAccuracy>& images);

/// Returns the slope errors relative to the truth, "before -> after mrad"; "-" if the truth is
/// unknown.
std::string slopes_text(const reconstruction::HeliostatMirror& mirror);

/// Returns remarks that are needed to interpret the figures, one sentence each.
std::vector<std::string> reconstruction_remarks(const reconstruction::HeliostatMirror& mirror);

/// Returns JSON with `heliostats` by name, the written file and the elapsed seconds.
nlohmann::json reconstruction_json(const std::vector<reconstruction::HeliostatMirror>& field,
                                   const std::string& output,
                                   double seconds);

/// Returns a table with a row per heliostat, followed by remarks and rejected records.
std::string reconstruction_text(const std::vector<reconstruction::HeliostatMirror>& field,
                                const std::string& output,
                                double seconds);

}  // namespace helioray
