// SPDX-License-Identifier: MIT
// The frame of a canted facet.
#pragma once

#include "scenario/types.h"

#include <array>

namespace helioray {

/// Unit axes e, n, u of a facet in the mirror frame: e along canting_e, u perpendicular to both
/// canting vectors.
std::array<Vec3, 3> canting_axes(const Facet& facet);

}  // namespace helioray
