// SPDX-License-Identifier: MIT
// Factors between units of angles. Inside the program angles are radians; files and messages have
// degrees or mrad.
#pragma once

#include <numbers>

namespace helioray {

/// Multiply degrees by it to get radians; divide radians by it to get degrees.
inline constexpr double kRadiansPerDegree = std::numbers::pi / 180.0;

}  // namespace helioray
