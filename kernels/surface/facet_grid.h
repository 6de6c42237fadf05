// SPDX-License-Identifier: MIT
// Facets as samples on a regular grid, and as bent parallelograms through them.
#pragma once

#include "kernels/core/instruction_set.h"

#include <span>

namespace helioray::kernels {

/// Samples of a facet per direction, edges included.
inline constexpr int kGridSize = 9;
/// Samples of a facet.
inline constexpr int kGridSamples = kGridSize * kGridSize;

/// Sample i * kGridSize + j of a facet lies at u = i / (kGridSize - 1), v = j / (kGridSize - 1).
struct FacetGrid {
    double point[3][kGridSamples];   ///< x, y, z of the surface points, metres
    double normal[3][kGridSamples];  ///< x, y, z of the unit normals
};

/// Points center + x X + y Y + (b0 x^2 + b1 x y + b2 y^2) normal with |x|, |y| <= 1; the normal is
/// along X x Y. Metres.
struct BentPatch {
    double center[3];   ///< of the parallelogram
    double half_x[3];   ///< X
    double half_y[3];   ///< Y
    double bending[3];  ///< b0, b1, b2
    double radius;      ///< of a sphere about the centre that holds all samples
};

/// Writes the patch of each of the grids to patches[0], patches[1], ...: the parallelogram and then
/// the bending about it by least squares. Equal bits for every instruction set and however the
/// grids are divided over calls. A grid that does not span a surface gets a patch that is not
/// finite. Throws std::invalid_argument as resolve_instruction_set() does.
void fit_patches(std::span<const FacetGrid> grids,
                 BentPatch* patches,
                 InstructionSet set = InstructionSet::automatic);

}  // namespace helioray::kernels
