// SPDX-License-Identifier: MIT
// Small tables from which every lane reads an element of its own. Vectors of lanes have the same
// operation in their headers.
#pragma once

#include "kernels/core/macros.h"

#include <cstdint>

namespace helioray::kernels {

/// Returns element i of a table of 32 floats.
HELIORAY_HD float look_up(const float* table, int32_t i, float) {
    return table[i];
}

/// Returns element i of a table of 16 floats.
HELIORAY_HD float look_up_few(const float* table, int32_t i, float) {
    return table[i];
}

}  // namespace helioray::kernels
