// SPDX-License-Identifier: MIT
// Floating-point numbers as scaled integers.
#include "distributed/fixed_point.h"

#include <ATen/core/Tensor.h>

#include <cmath>
#include <stdexcept>

namespace helioray {

int fixed_point_bits(double bound) {
    if (!(bound > 0.0) || !std::isfinite(bound))
        throw std::invalid_argument("the bound of fixed-point sums must be positive and finite");
    int exponent = 0;
    std::frexp(bound, &exponent);  // bound <= 2^exponent
    return 61 - exponent;
}

at::Tensor to_fixed_point(const at::Tensor& values, int bits) {
    if (!values.defined() || !values.is_floating_point())
        throw std::invalid_argument("fixed-point numbers are made from floating-point ones");
    const at::Tensor scaled = values.detach().to(at::kDouble).mul(std::ldexp(1.0, bits));
    // The comparison is false for NaN, too.
    if (!scaled.abs().le(std::ldexp(1.0, 62)).all().item<bool>())
        throw std::invalid_argument(
            "a value is not finite, or too large for its fixed-point form; raise the bound");
    return scaled.round().to(at::kLong);
}

at::Tensor from_fixed_point(const at::Tensor& sums, int bits) {
    return sums.to(at::kDouble).mul(std::ldexp(1.0, -bits));
}

}  // namespace helioray
