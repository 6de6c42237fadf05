// SPDX-License-Identifier: MIT
// Sums of floating-point numbers with the same bits for every number of ranks.
#pragma once

namespace at {
class Tensor;
}

namespace helioray {

// Integer sums are exact, so they do not depend on order. Give every contribution (of a heliostat,
// not of a rank, whose share changes with the number of ranks) to to_fixed_point, add integers
// everywhere, all_reduce them, and turn the total back.

/// Binary digits after the point that leave room for sums of |values| up to `bound` (> 0, finite).
int fixed_point_bits(double bound);

/// round(values * 2^bits) as int64. values: float64 or float32. An error of a contribution is at
/// most 2^-(bits + 1). Throws std::invalid_argument for values that are not finite or do not fit.
at::Tensor to_fixed_point(const at::Tensor& values, int bits);

/// sums / 2^bits as float64.
at::Tensor from_fixed_point(const at::Tensor& sums, int bits);

}  // namespace helioray
