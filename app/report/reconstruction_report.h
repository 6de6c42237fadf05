// SPDX-License-Identifier: MIT
// Reconstructed mirrors as one web page that needs no other file.
#pragma once

#include "raytracer/reconstruction/reconstruct_field.h"
#include "scenario/types.h"

#include <optional>
#include <string>
#include <vector>

namespace helioray {

/// A complete HTML document: flux accuracy of fitted and of test images, slopes and their standard
/// deviation, a table of heliostats, then for each heliostat its images beside the model's with
/// contours and their difference, and maps of the slopes, where `truth` (may be null) has the
/// heliostat beside those of the truth; rejected records with their reasons. Draws 24 heliostats
/// with twelve images each at most and says how many there are. output: the scenario file that was
/// written, empty for none. title: in place of the usual one.
std::string reconstruction_report(const std::vector<reconstruction::HeliostatMirror>& field,
                                  const Scenario& start,
                                  const Scenario* truth,
                                  const std::string& output,
                                  const std::optional<std::string>& title = {});

}  // namespace helioray
