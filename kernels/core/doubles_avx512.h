// SPDX-License-Identifier: MIT
// Eight doubles in an AVX-512 register. Only for translation units compiled for it.
#pragma once

#include "kernels/core/scalar.h"

#include <immintrin.h>

namespace helioray::kernels::avx512 {

struct Doubles {
    __m512d v;
    Doubles() = default;
    HELIORAY_HD Doubles(__m512d x) : v(x) {}
    HELIORAY_HD Doubles(double x) : v(_mm512_set1_pd(x)) {}
};

HELIORAY_HD Doubles operator+(Doubles a, Doubles b) {
    return _mm512_add_pd(a.v, b.v);
}
HELIORAY_HD Doubles operator-(Doubles a, Doubles b) {
    return _mm512_sub_pd(a.v, b.v);
}
HELIORAY_HD Doubles operator*(Doubles a, Doubles b) {
    return _mm512_mul_pd(a.v, b.v);
}
HELIORAY_HD Doubles operator/(Doubles a, Doubles b) {
    return _mm512_div_pd(a.v, b.v);
}
HELIORAY_HD Doubles fma_(Doubles a, Doubles b, Doubles c) {
    return _mm512_fmadd_pd(a.v, b.v, c.v);
}
HELIORAY_HD Doubles sqrt_(Doubles a) {
    return _mm512_sqrt_pd(a.v);
}
HELIORAY_HD Doubles max_(Doubles a, Doubles b) {
    return _mm512_max_pd(a.v, b.v);
}
/// From and to memory that is aligned to the register.
HELIORAY_HD Doubles load_aligned(const double* from, Doubles) {
    return _mm512_load_pd(from);
}
HELIORAY_HD void store_aligned(double* to, Doubles a) {
    _mm512_store_pd(to, a.v);
}

}  // namespace helioray::kernels::avx512
