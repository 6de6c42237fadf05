// SPDX-License-Identifier: MIT
// How probable a measured image is for a traced map. Internal to this folder.
#pragma once

#include "raytracer/reconstruction/flux_window.h"
#include "raytracer/reconstruction/posterior.h"

namespace helioray::reconstruction {

/// Twice the negative logarithm of the probability of an image if the light is that of a traced
/// map, without what all maps have in common: the weighted squares of the differences, with the
/// noise of a fit. The map's shift, brightness and background are those that make the image most
/// probable; the background is expected within a per cent of 0. traced: larger than the image.
double misfit_of_traced(const FitImage& measured, const FluxMap& traced, const PixelNoise& noise);

}  // namespace helioray::reconstruction
