// SPDX-License-Identifier: MIT
// The backward kernel on a prepared field, to time it without all around.
#pragma once

#include "raytracer/physical/field.h"

namespace helioray::validation {

/// Replays all rays of the field for the derivatives of a loss with gradient 1 in every pixel.
/// Returns the sum of quanta that the targets hold, as the backward pass finds it.
double run_backward(const physical::Field& field, int num_threads);

}  // namespace helioray::validation
