// SPDX-License-Identifier: MIT
// Colours of numbers. Flux: a perceptually uniform path from near black over violet, red and orange
// to pale yellow. Differences: blue and orange about near white.
#pragma once

#include <array>
#include <cstdint>

namespace helioray {

/// Red, green and blue of an sRGB colour, 0 to 255.
using Rgb8 = std::array<std::uint8_t, 3>;

/// Colour of a share of the scale, clamped to [0, 1]; grey for NaN. Lightness grows linearly with
/// the share, so that order and size are seen also by the colour-blind and on grey prints. The path
/// is a spiral in OKLab (Ottosson, "A perceptual color space for image processing", 2020), its
/// chroma chosen to stay inside sRGB.
Rgb8 flux_color(double share);

/// Colour of a share of a scale on a white ground: the same path without its ends.
Rgb8 field_color(double share);

/// Colour of a difference, 0.5 is none: from blue over near white to orange, clamped to [0, 1];
/// grey for NaN. Equal differences of either sign are equally dark; the colour-blind tell blue from
/// orange.
Rgb8 difference_color(double share);

/// Lightness of an sRGB colour in OKLab, 0 to 1.
double perceived_lightness(const Rgb8& color);

}  // namespace helioray
