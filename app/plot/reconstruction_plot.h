// SPDX-License-Identifier: MIT
// Pictures of reconstructed mirrors: images beside their models, slopes beside the truth.
#pragma once

#include "app/plot/plot_page.h"
#include "raytracer/reconstruction/reconstruct_field.h"
#include "scenario/types.h"

#include <cstddef>
#include <filesystem>
#include <span>

namespace helioray {

/// A row of three panels for each image of a mirror: measured, the model's, their difference. Shows
/// no more images than `most`.
PlotPage reconstruction_images(const reconstruction::Reconstruction& found,
                               const Scenario& start,
                               size_t most);

/// How the slopes of a mirror differ from the start's, and how sure they are; where `truth` (may be
/// null) has the heliostat, beside those of the truth.
PlotPage reconstruction_slopes(const reconstruction::Reconstruction& found,
                               const Scenario& start,
                               const Scenario* truth);

/// Draws both for each heliostat. The format follows from the file's ending. A picture shows twelve
/// images at most and says how many there are. Throws InputError for other endings,
/// std::runtime_error naming the file.
void plot_reconstructions(std::span<const reconstruction::HeliostatMirror> field,
                          const Scenario& start,
                          const Scenario* truth,
                          const std::filesystem::path& picture);

}  // namespace helioray
