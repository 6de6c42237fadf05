// SPDX-License-Identifier: MIT
// Writes reconstructed mirrors as one self-contained web page.
#pragma once

#include "raytracer/solvers/reconstruction/reconstruct_field.h"
#include "scenario/types/types.h"

#include <optional>
#include <string>
#include <vector>

namespace helioray {

/// Returns a complete HTML document: flux accuracy of fitted and of test images, slopes and their
/// standard deviation, and a table of heliostats. For each heliostat it shows the images beside the
/// model's with contours and their difference, and maps of the slopes; if `truth` (may be null) has
/// the heliostat, its slopes are beside them. Rejected records are listed with their reasons. The
/// document shows at most 24 heliostats with twelve images each and states their total numbers.
/// `output` is the scenario file that was written, or empty; `title` replaces the usual title.
std::string reconstruction_report(const std::vector<reconstruction::HeliostatMirror>& field,
                                  const Scenario& start,
                                  const Scenario* truth,
                                  const std::string& output,
                                  const std::optional<std::string>& title = {});

}  // namespace helioray
