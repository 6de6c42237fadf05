// SPDX-License-Identifier: MIT
// What a picture shows besides the light of a mirror: a background and the noise of the camera.
// Internal to this folder.
#pragma once

#include "raytracer/reconstruction/flux_window.h"

#include <array>

namespace helioray::reconstruction {

/// A plane of brightness under the spot, and noise, in units of the picture.
struct PictureBackground {
    double level = 0.0;  ///< at the picture's middle
    /// Change from the middle to the right edge and to the upper edge.
    std::array<double, 2> slope{};
    double noise = 0.0;  ///< standard deviation of a single pixel
};

/// Finds background and noise by the dark parts of a picture, which need not have any.
///
/// The noise follows from second differences of neighbouring pixels in the darker half of the
/// picture (median of their absolute values), which no smooth light takes part in; noise that
/// neighbouring pixels have in common, as after sharpening or enlarging, is not seen. The plane is
/// that of the darkest quarter of 16 x 16 blocks, in which noise averages out; it changes by half
/// of its level at most, because the tails of a spot off the middle look like a slope as well.
PictureBackground find_background(const FluxMap& picture);

/// Takes the background away and sets the noise of the map. Pixels below the background become
/// negative: cut off at 0, noise would be light that lies on the whole picture.
void subtract_background(FluxMap& picture);

}  // namespace helioray::reconstruction
