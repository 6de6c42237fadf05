// SPDX-License-Identifier: MIT
// The colours of flux: a perceptually uniform path from near black over violet, red and orange to
// pale yellow.
#pragma once

#include <array>
#include <cstdint>

namespace helioray {

using Rgb8 = std::array<std::uint8_t, 3>;

/// Colour of a share of the scale, clamped to [0, 1]; grey for NaN. Lightness grows linearly with
/// the share, so that order and size are seen also by the colour-blind and on grey prints. The path
/// is a spiral in OKLab (Ottosson, "A perceptual color space for image processing", 2020), its
/// chroma chosen to stay inside sRGB.
Rgb8 flux_color(double share);

/// Lightness of an sRGB colour in OKLab, 0 to 1.
double perceived_lightness(const Rgb8& color);

}  // namespace helioray
