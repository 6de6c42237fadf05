// SPDX-License-Identifier: MIT
// Runs an alignment in blocks of rows, so that a heliostat's numbers depend on nothing but its own
// data.
#pragma once

#include "raytracer/kinematics/alignment.h"

#include <functional>
#include <vector>

namespace helioray {

/// An alignment of some rows; `inputs` are those rows of the inputs of align_in_blocks.
using BlockAlignment =
    std::function<Alignment(const KinematicsParameters&, const std::vector<at::Tensor>& inputs)>;

/// Calls `align` for blocks of rows of one type of kinematics and joins the results in the order of
/// the rows. Tensors that `align` leaves undefined stay undefined.
///
/// Vectorised loops compute their last few elements, and those at the border between two threads,
/// by other code than the rest, which may round differently. Blocks are filled up to whole vectors
/// and too small to be shared between threads; so results are equal to the last bit for any batch,
/// order and number of threads. Differentiable.
Alignment align_in_blocks(const KinematicsParameters& parameters,
                          const std::vector<at::Tensor>& inputs,
                          const BlockAlignment& align);

}  // namespace helioray
