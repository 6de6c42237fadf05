// SPDX-License-Identifier: MIT
// Computes products of images for normal equations. Internal to this folder.
#pragma once

#include <vector>

namespace helioray::reconstruction {

/// Returns the sums over the pixels of the product of every pair of columns, [columns, columns].
/// Each column has kImagePixels * kImagePixels values; there must be at least one column.
std::vector<double> products_of_pairs(const std::vector<const float*>& columns);

}  // namespace helioray::reconstruction
