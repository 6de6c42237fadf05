// SPDX-License-Identifier: MIT
// Pictures of reconstructed mirrors: images beside their models, slopes beside the truth.
#pragma once

#include "raytracer/reconstruction/reconstruct.h"
#include "scenario/types.h"

#include <filesystem>
#include <span>

namespace helioray {

/// Draws for each heliostat its images, the model's and their difference, then how the slopes
/// differ from the start's; where `truth` (may be null) has the heliostat, beside those of the
/// truth. The format follows from the file's ending. A picture shows twelve images at most and says
/// how many there are. Throws InputError for other endings, std::runtime_error naming the file.
void plot_reconstructions(std::span<const reconstruction::Reconstruction> found,
                          const Scenario& start,
                          const Scenario* truth,
                          const std::filesystem::path& picture);

}  // namespace helioray
