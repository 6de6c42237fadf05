// SPDX-License-Identifier: MIT
// Facets as samples on a regular grid, and as bent parallelograms through them.
#pragma once

#include "kernels/core/instruction_set.h"

#include <span>

namespace helioray::kernels {

/// Number of samples of a facet per direction, edges included.
inline constexpr int kGridSize = 9;
/// Number of samples of a facet.
inline constexpr int kGridSamples = kGridSize * kGridSize;

/// Samples of a facet: sample i * kGridSize + j is at u = i / (kGridSize - 1), v = j / (kGridSize -
/// 1).
struct FacetGrid {
    double point[3][kGridSamples];   ///< x, y, z of the surface points, metres
    double normal[3][kGridSamples];  ///< x, y, z of the unit normals
};

/// Bent parallelogram: points center + x X + y Y + (b0 x^2 + b1 x y + b2 y^2) normal with |x|, |y|
/// <= 1; the normal is along X x Y. Metres.
struct BentPatch {
    double center[3];   ///< centre of the parallelogram
    double half_x[3];   ///< vector X
    double half_y[3];   ///< vector Y
    double bending[3];  ///< coefficients b0, b1, b2
    double radius;      ///< radius of a sphere about the centre that contains all samples
};

/// Fits a patch to each of the grids and writes them to patches[0], patches[1], ...: first the
/// parallelogram, then the bending about it by least squares. Results are bitwise equal for every
/// instruction set and for any division of the grids over calls. A grid that does not span a
/// surface gets a patch that is not finite. Throws std::invalid_argument like
/// resolve_instruction_set().
void fit_patches(std::span<const FacetGrid> grids,
                 BentPatch* patches,
                 InstructionSet set = InstructionSet::automatic);

}  // namespace helioray::kernels
