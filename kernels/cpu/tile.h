// SPDX-License-Identifier: MIT
// A bitmap that one thread adds rays to, with the range of pixels it has touched.
#pragma once

#include "kernels/core/macros.h"

#include <cstdint>

namespace helioray::kernels {

struct Tile {
    int64_t* pixels;  ///< [height * width], zero outside [first, last]
    int32_t first;    ///< first touched pixel
    int32_t last;     ///< last touched pixel; below first: none

    HELIORAY_HD void touch(int32_t lowest, int32_t highest) {
        first = lowest < first ? lowest : first;
        last = highest > last ? highest : last;
    }
};

}  // namespace helioray::kernels
