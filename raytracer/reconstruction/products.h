// SPDX-License-Identifier: MIT
// Products of images, of which normal equations consist. Internal to this folder.
#pragma once

#include <vector>

namespace helioray::reconstruction {

/// Sums over the pixels of the product of every pair of columns, [columns, columns]. columns: each
/// of kImagePixels * kImagePixels numbers, one column at least.
std::vector<double> products_of_pairs(const std::vector<const float*>& columns);

}  // namespace helioray::reconstruction
