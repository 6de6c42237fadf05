// SPDX-License-Identifier: MIT
// Sums of 64 bits as plain numbers; SIMD types of several offer the same names.
#pragma once

#include "kernels/core/macros.h"

#include <cstdint>

namespace helioray::kernels {

/// How many sums a type holds.
template <typename Longs>
inline constexpr int kLongsWidth = Longs::kWidth;
template <>
inline constexpr int kLongsWidth<int64_t> = 1;

HELIORAY_HD int64_t load_longs(const int64_t* p, int64_t) {
    return *p;
}
HELIORAY_HD void store(int64_t* p, int64_t a) {
    *p = a;
}
HELIORAY_HD bool any(int64_t a) {
    return a != 0;
}
/// scale * a^2, rounded.
HELIORAY_HD int64_t scaled_square(int64_t a, double scale) {
    const auto x = static_cast<double>(a);
    return __builtin_llrint(scale * (x * x));
}

}  // namespace helioray::kernels
