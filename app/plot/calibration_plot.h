// SPDX-License-Identifier: MIT
// Pictures of a calibration: residuals on the targets before and after, error against sun distance.
#pragma once

#include "app/plot/plot_page.h"
#include "raytracer/calibration/calibrate.h"
#include "scenario/types.h"

#include <filesystem>
#include <vector>

namespace helioray {

/// Draws and stores a page: for every flat target with records an arrow from each predicted spot to
/// the measured one, before and after; and the errors of records predicted from the others against
/// the distance to the nearest sun. PNG, SVG or PDF after the file name; completely or not at all.
/// Throws InputError for another ending, std::runtime_error naming the file when it cannot be
/// stored.
void plot_calibration(const std::vector<calibration::HeliostatCalibration>& field,
                      const Scenario& scenario,
                      const std::filesystem::path& picture);

}  // namespace helioray
