// SPDX-License-Identifier: MIT
// Table and JSON of reconstructed mirrors.
#pragma once

#include "raytracer/reconstruction/reconstruct_field.h"

#include <nlohmann/json.hpp>

#include <string>
#include <vector>

namespace helioray {

/// Mean flux accuracy of some images "before -> after"; "-" where there is none.
std::string accuracy_text(const std::vector<reconstruction::ImageAccuracy>& images);

/// Slopes against the truth "before -> after mrad"; "-" where it is not known.
std::string slopes_text(const reconstruction::HeliostatMirror& mirror);

/// What a reader of the figures has to know, a sentence each.
std::vector<std::string> reconstruction_remarks(const reconstruction::HeliostatMirror& mirror);

/// `heliostats` by name, with the file that was written and the seconds that it took.
nlohmann::json reconstruction_json(const std::vector<reconstruction::HeliostatMirror>& field,
                                   const std::string& output,
                                   double seconds);

/// A table with a row per heliostat, then remarks and rejected records.
std::string reconstruction_text(const std::vector<reconstruction::HeliostatMirror>& field,
                                const std::string& output,
                                double seconds);

}  // namespace helioray
