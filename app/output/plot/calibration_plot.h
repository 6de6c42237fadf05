// SPDX-License-Identifier: MIT
// Draws pictures of a calibration: residuals on the targets before and after, error against sun
// distance, uncertainty over the field.
#pragma once

#include "app/output/plot/drawing/plot_page.h"
#include "raytracer/solvers/calibration/calibrate.h"
#include "scenario/types/types.h"

#include <filesystem>
#include <vector>

namespace helioray {

/// Returns a page that shows, for every flat target with records, an arrow from each measured spot
/// to the predicted one, before and after calibration.
PlotPage residual_arrows(const std::vector<calibration::HeliostatCalibration>& field,
                         const Scenario& scenario);

/// Returns a page that shows the errors of records predicted from the others against the distance
/// to the nearest sun, and the field coloured by the expected aim error, with crosses for
/// heliostats without used records.
PlotPage expected_errors(const std::vector<calibration::HeliostatCalibration>& field,
                         const Scenario& scenario);

/// Draws both on one page and stores it as PNG, SVG or PDF, according to the extension, completely
/// or not at all. Throws InputError for another extension, std::runtime_error with the file's name
/// if it cannot be stored.
void plot_calibration(const std::vector<calibration::HeliostatCalibration>& field,
                      const Scenario& scenario,
                      const std::filesystem::path& picture);

}  // namespace helioray
