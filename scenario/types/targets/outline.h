// SPDX-License-Identifier: MIT
// Convex outlines of flat targets.
#pragma once

#include "scenario/types/range.h"

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace helioray {

/// Corners of an outline, metres [right, up] from the centre of the target.
using Outline = std::vector<std::array<double, 2>>;

/// Number of corners of an outline.
inline constexpr Range kOutlineCorners{3.0, 64.0, false, false, "fewer than 3 enclose nothing"};

/// Reason why corners are not a convex outline, in the parts of Problem.
struct OutlineFault {
    std::optional<std::size_t> corner;  ///< index of the wrong corner, if it is a single one
    std::string what;                   ///< what is wrong
    std::string why;                    ///< reason
    std::string advice;                 ///< what to do
};

/// Turns a clockwise outline counter-clockwise. Returns the first reason why the corners do not go
/// round a convex polygon exactly once; their number is not checked.
std::optional<OutlineFault> make_convex(Outline& corners);

/// Returns the area that a counter-clockwise outline encloses, m2.
double outline_area(const Outline& corners);

}  // namespace helioray
