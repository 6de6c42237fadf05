// SPDX-License-Identifier: MIT
// Estimates the background and the noise of the camera in a picture. Internal to this folder.
#pragma once

#include "raytracer/solvers/reconstruction/images/flux_window.h"

#include <array>

namespace helioray::reconstruction {

/// A plane of brightness under the spot, and noise, in units of the picture.
struct PictureBackground {
    double level = 0.0;  ///< Brightness at the picture's middle.
    /// Change from the middle to the right edge and to the upper edge.
    std::array<double, 2> slope{};
    double noise = 0.0;  ///< Standard deviation of a single pixel.
};

/// Estimates background and noise from the dark parts of a picture; both may be 0.
///
/// The noise is estimated from second differences of neighbouring pixels in the darker half of the
/// picture (median of their absolute values), to which smooth light does not contribute; noise that
/// is correlated between neighbouring pixels, for example after sharpening or enlarging, is not
/// detected. The plane is fitted to the darkest quarter of 16 x 16 blocks, in which noise averages
/// out; it changes by half of its level at most, because the tails of a spot off the middle also
/// look like a slope.
PictureBackground find_background(const FluxMap& picture);

/// Subtracts the background and sets the noise of the map. Pixels below the background become
/// negative: limited to 0, the noise would add light to the whole picture.
void subtract_background(FluxMap& picture);

}  // namespace helioray::reconstruction
