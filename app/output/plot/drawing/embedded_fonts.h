// SPDX-License-Identifier: MIT
// The fonts that a binary wheel contains, so that pictures are the same on machines without fonts.
#pragma once

#include <cairo.h>

namespace helioray {

/// Returns DejaVu Sans in the given weight, which remains valid until the process ends.
/// Thread-safe. Throws std::runtime_error if FreeType cannot read it.
cairo_font_face_t* embedded_font(bool bold);

}  // namespace helioray
