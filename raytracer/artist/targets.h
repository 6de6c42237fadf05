// SPDX-License-Identifier: MIT
// Target areas in ARTIST's terms: centres, pixels to world points.
#pragma once

#include "scenario/types.h"

#include <ATen/core/Tensor.h>

namespace helioray::artist {

/// World point of pixel coordinates (column e, row u from the top), metres. Not the inverse of the
/// intersections' mapping: the width is spread over W, not W - 1 pixel steps, and planes count as
/// axis aligned (P40).
/// @param e, u float32 [N] -> float32 [N, 4], last = 1
at::Tensor bitmap_to_target(
    const Target& target, const at::Tensor& e, const at::Tensor& u, int64_t width, int64_t height);

/// Largest factor by which a ray's magnitude can grow at the target: 1, or the length of a plane's
/// normal (P27).
double max_intensity(const Target& target);

}  // namespace helioray::artist
