// SPDX-License-Identifier: MIT
// The frame of a canted facet.
#pragma once

#include "scenario/types.h"

#include <array>

namespace helioray {

/// Unit axes e, n, u of a facet in the mirror frame: e along canting_e, u perpendicular to both
/// canting vectors.
std::array<Vec3, 3> canting_axes(const Facet& facet);

/// origin + v[0] axes[0] + v[1] axes[1] + v[2] axes[2]: takes a vector from the frame of the axes
/// to the frame in which they are given. Directions have the origin {}.
Vec3 along_axes(const Vec3& origin, const std::array<Vec3, 3>& axes, const Vec3& v);

}  // namespace helioray
