// SPDX-License-Identifier: MIT
// Four doubles in an AVX2 register. Only for translation units compiled for it.
#pragma once

#include "kernels/core/scalar.h"

#include <immintrin.h>

namespace helioray::kernels::avx2 {

struct Doubles {
    __m256d v;
    Doubles() = default;
    HELIORAY_HD Doubles(__m256d x) : v(x) {}
    HELIORAY_HD Doubles(double x) : v(_mm256_set1_pd(x)) {}
};

HELIORAY_HD Doubles operator+(Doubles a, Doubles b) {
    return _mm256_add_pd(a.v, b.v);
}
HELIORAY_HD Doubles operator-(Doubles a, Doubles b) {
    return _mm256_sub_pd(a.v, b.v);
}
HELIORAY_HD Doubles operator*(Doubles a, Doubles b) {
    return _mm256_mul_pd(a.v, b.v);
}
HELIORAY_HD Doubles operator/(Doubles a, Doubles b) {
    return _mm256_div_pd(a.v, b.v);
}
HELIORAY_HD Doubles fma_(Doubles a, Doubles b, Doubles c) {
    return _mm256_fmadd_pd(a.v, b.v, c.v);
}
HELIORAY_HD Doubles sqrt_(Doubles a) {
    return _mm256_sqrt_pd(a.v);
}
HELIORAY_HD Doubles max_(Doubles a, Doubles b) {
    return _mm256_max_pd(a.v, b.v);
}
/// From and to memory that is aligned to the register.
HELIORAY_HD Doubles load_aligned(const double* from, Doubles) {
    return _mm256_load_pd(from);
}
HELIORAY_HD void store_aligned(double* to, Doubles a) {
    _mm256_store_pd(to, a.v);
}

}  // namespace helioray::kernels::avx2
