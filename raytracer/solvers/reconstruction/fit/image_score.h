// SPDX-License-Identifier: MIT
// Scores a traced map by the probability of a measured image. Internal to this folder.
#pragma once

#include "raytracer/solvers/reconstruction/fit/posterior.h"
#include "raytracer/solvers/reconstruction/images/flux_window.h"

namespace helioray::reconstruction {

/// Returns twice the negative logarithm of the probability of an image if the light is that of a
/// traced map, without terms common to all maps: the squares of the differences, weighted with the
/// noise of a fit. The map's shift, brightness and background are those that maximise the
/// probability; the background is expected within a per cent of 0. `traced` must be larger than the
/// image.
double misfit_of_traced(const FitImage& measured, const FluxMap& traced, const PixelNoise& noise);

}  // namespace helioray::reconstruction
