// SPDX-License-Identifier: MIT
// Vectors of the host as the kernels' records hold them.
#pragma once

#include "scenario/vector_math.h"

namespace helioray::physical {

/// Rounds a vector into a record.
inline void set(float (&destination)[3], const Vec3& source) {
    for (size_t i = 0; i < 3; ++i) destination[i] = static_cast<float>(source[i]);
}

}  // namespace helioray::physical
