// SPDX-License-Identifier: MIT
// Conversion factors between units of angles. The program calculates in radians; files and messages
// have degrees or mrad.
#pragma once

#include <numbers>

namespace helioray {

/// Radians per degree: multiply degrees by it, or divide radians by it.
inline constexpr double kRadiansPerDegree = std::numbers::pi / 180.0;

}  // namespace helioray
