// SPDX-License-Identifier: MIT
// Mirrors from control points; those that did not change since the last call are not made again.
#pragma once

#include "raytracer/physical/surface_records.h"
#include "scenario/types.h"

#include <ATen/core/Tensor.h>

#include <array>
#include <memory>
#include <vector>

namespace helioray::operators {

/// Mirrors and what the tracer needs to know of them.
struct Mirrors {
    std::vector<std::shared_ptr<const Surface>> surfaces;  ///< by row of the control points
    physical::KnownSurfaces records;                       ///< of all of them
};

/// control_points: [M, F, nu, nv, 3] float64 on the CPU; shapes: for shading or blocking. Throws
/// InputError for a facet without area.
///
/// The mirrors of the last call stay in memory. A mirror is used again if all its control points
/// are equal bit for bit to those kept, so the result is the same as without: the backward pass,
/// other sun positions and loops over anything but surfaces need no areas and shapes again.
Mirrors mirrors_of(const at::Tensor& control_points,
                   const std::array<int64_t, 2>& degrees,
                   bool shapes);

}  // namespace helioray::operators
