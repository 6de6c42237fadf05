// SPDX-License-Identifier: MIT
// Draws pictures of reconstructed mirrors: images beside their models, slopes beside the truth.
#pragma once

#include "app/output/plot/drawing/plot_page.h"
#include "raytracer/solvers/reconstruction/reconstruct_field.h"
#include "scenario/types/types.h"

#include <cstddef>
#include <filesystem>
#include <span>

namespace helioray {

/// Returns a page with a row of three panels for each image of a mirror: the measured one, the
/// model's, and their difference. Draws at most `most` images.
PlotPage reconstruction_images(const reconstruction::Reconstruction& found,
                               const Scenario& start,
                               size_t most);

/// Returns a page with the differences between the slopes of a mirror and those of the start, and
/// their uncertainty. If `truth` (may be null) has the heliostat, its slopes are beside them.
PlotPage reconstruction_slopes(const reconstruction::Reconstruction& found,
                               const Scenario& start,
                               const Scenario* truth);

/// Draws both for each heliostat and stores them in the format of the file's extension. A picture
/// shows at most twelve images and prints their total number. Throws InputError for other
/// extensions, std::runtime_error with the file's name.
void plot_reconstructions(std::span<const reconstruction::HeliostatMirror> field,
                          const Scenario& start,
                          const Scenario* truth,
                          const std::filesystem::path& picture);

}  // namespace helioray
