// SPDX-License-Identifier: MIT
// Pictures of a calibration: residuals on the targets before and after, error against sun distance,
// uncertainty over the field.
#pragma once

#include "app/plot/plot_page.h"
#include "raytracer/calibration/calibrate.h"
#include "scenario/types.h"

#include <filesystem>
#include <vector>

namespace helioray {

/// For every flat target with records an arrow from each measured spot to the predicted one, before
/// and after.
PlotPage residual_arrows(const std::vector<calibration::HeliostatCalibration>& field,
                         const Scenario& scenario);

/// The errors of records predicted from the others against the distance to the nearest sun, and the
/// field coloured by the expected aim error, with crosses for heliostats that no record counted
/// for.
PlotPage expected_errors(const std::vector<calibration::HeliostatCalibration>& field,
                         const Scenario& scenario);

/// Draws both on one page and stores it: PNG, SVG or PDF after the file name; completely or not at
/// all. Throws InputError for another ending, std::runtime_error naming the file when it cannot be
/// stored.
void plot_calibration(const std::vector<calibration::HeliostatCalibration>& field,
                      const Scenario& scenario,
                      const std::filesystem::path& picture);

}  // namespace helioray
