// SPDX-License-Identifier: MIT
// How the values of several ranks become one.
#pragma once

namespace helioray {

/// Element by element over the ranks of a group. mean: the sum divided by the number of ranks, for
/// floating-point types only.
enum class Reduction { sum, minimum, maximum, mean };

}  // namespace helioray
