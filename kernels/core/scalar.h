// SPDX-License-Identifier: MIT
// The operations that physics code may use, for plain numbers. SIMD lane types offer the same
// functions.
//
// Results are bitwise equal everywhere: contraction is off, fma is explicit, division and square
// root follow IEEE.
#pragma once

#include "kernels/core/macros.h"

#include <cstdint>

namespace helioray::kernels {

/// Types that belong to a number type: masks, signed and unsigned 32-bit integers, and the number
/// of its values.
template <typename Real>
struct LaneTraits {
    using Mask = bool;
    using Int = int32_t;
    using Uint = uint32_t;
    static constexpr int kWidth = 1;
};

#if defined(__CUDA_ARCH__)
HELIORAY_HD float fma_(float a, float b, float c) {
    return __fmaf_rn(a, b, c);
}
HELIORAY_HD double fma_(double a, double b, double c) {
    return __fma_rn(a, b, c);
}
HELIORAY_HD float sqrt_(float a) {
    return __fsqrt_rn(a);
}
HELIORAY_HD double sqrt_(double a) {
    return __dsqrt_rn(a);
}
HELIORAY_HD float abs_(float a) {
    return fabsf(a);
}
HELIORAY_HD double abs_(double a) {
    return fabs(a);
}
HELIORAY_HD int32_t round_to_int(float a) {
    return __float2int_rn(a);
}
HELIORAY_HD int32_t round_to_int(double a) {
    return __double2int_rn(a);
}
HELIORAY_HD int32_t float_bits(float a) {
    return __float_as_int(a);
}
HELIORAY_HD float bits_to_float(int32_t bits) {
    return __int_as_float(bits);
}
#else
HELIORAY_HD float fma_(float a, float b, float c) {
    return __builtin_fmaf(a, b, c);
}
HELIORAY_HD double fma_(double a, double b, double c) {
    return __builtin_fma(a, b, c);
}
HELIORAY_HD float sqrt_(float a) {
    return __builtin_sqrtf(a);
}
HELIORAY_HD double sqrt_(double a) {
    return __builtin_sqrt(a);
}
HELIORAY_HD float abs_(float a) {
    return __builtin_fabsf(a);
}
HELIORAY_HD double abs_(double a) {
    return __builtin_fabs(a);
}
/// Returns the nearest integer, ties to even.
HELIORAY_HD int32_t round_to_int(float a) {
    return static_cast<int32_t>(__builtin_rintf(a));
}
HELIORAY_HD int32_t round_to_int(double a) {
    return static_cast<int32_t>(__builtin_rint(a));
}
HELIORAY_HD int32_t float_bits(float a) {
    int32_t bits;
    __builtin_memcpy(&bits, &a, 4);
    return bits;
}
HELIORAY_HD float bits_to_float(int32_t bits) {
    float a;
    __builtin_memcpy(&a, &bits, 4);
    return a;
}
#endif
HELIORAY_HD float select(bool mask, float a, float b) {
    return mask ? a : b;
}
HELIORAY_HD double select(bool mask, double a, double b) {
    return mask ? a : b;
}
HELIORAY_HD int32_t select(bool mask, int32_t a, int32_t b) {
    return mask ? a : b;
}
HELIORAY_HD float min_(float a, float b) {
    return a < b ? a : b;
}
HELIORAY_HD float max_(float a, float b) {
    return a > b ? a : b;
}
HELIORAY_HD double min_(double a, double b) {
    return a < b ? a : b;
}
HELIORAY_HD double max_(double a, double b) {
    return a > b ? a : b;
}
HELIORAY_HD int32_t min_(int32_t a, int32_t b) {
    return a < b ? a : b;
}
HELIORAY_HD int32_t max_(int32_t a, int32_t b) {
    return a > b ? a : b;
}
/// Returns a, or if the mask is set the smaller (larger) of a and b.
HELIORAY_HD int32_t min_where(bool mask, int32_t a, int32_t b) {
    return mask ? min_(a, b) : a;
}
HELIORAY_HD int32_t max_where(bool mask, int32_t a, int32_t b) {
    return mask ? max_(a, b) : a;
}
/// Returns the integer part, rounded towards zero.
HELIORAY_HD int32_t truncate_to_int(float a) {
    return static_cast<int32_t>(a);
}
HELIORAY_HD int32_t truncate_to_int(double a) {
    return static_cast<int32_t>(a);
}
HELIORAY_HD float to_real(int32_t a, float) {
    return static_cast<float>(a);
}
HELIORAY_HD double to_real(int32_t a, double) {
    return static_cast<double>(a);
}

/// Converts 32 random bits to a number in the open interval (0, 1): (k + 1/2) / 2^23.
HELIORAY_HD float unit_interval(uint32_t bits, float) {
    return fma_(static_cast<float>(static_cast<int32_t>(bits >> 9)), 0x1p-23f, 0x1p-24f);
}
HELIORAY_HD double unit_interval(uint32_t bits, double) {
    return fma_(static_cast<double>(bits >> 9), 0x1p-23, 0x1p-24);
}

// The following lane operations are for one value.
HELIORAY_HD int32_t bits_of(uint32_t a) {
    return static_cast<int32_t>(a);
}
HELIORAY_HD bool any(bool mask) {
    return mask;
}
HELIORAY_HD int32_t make_int(int32_t x, float) {
    return x;
}
HELIORAY_HD int32_t make_int(int32_t x, double) {
    return x;
}
HELIORAY_HD uint32_t make_uint(uint32_t x, float) {
    return x;
}
HELIORAY_HD uint32_t make_uint(uint32_t x, double) {
    return x;
}
HELIORAY_HD int32_t shift_right(int32_t a, int n) {
    return a >> n;
}
/// Returns 2^n, for n from 0 to 31.
HELIORAY_HD int32_t power_of_two(int32_t n) {
    return static_cast<int32_t>(1u << n);
}
HELIORAY_HD int32_t shift_left(int32_t a, int n) {
    return static_cast<int32_t>(static_cast<uint32_t>(a) << n);
}
HELIORAY_HD float load(const float* p, float) {
    return *p;
}
/// Copies four numbers, which begin at a multiple of 16 bytes and do not change while a kernel
/// runs.
HELIORAY_HD void load_four(const float* p, float (&to)[4]) {
#if defined(__CUDA_ARCH__)
    const float4 four = __ldg(reinterpret_cast<const float4*>(p));
    to[0] = four.x;
    to[1] = four.y;
    to[2] = four.z;
    to[3] = four.w;
#else
    __builtin_memcpy(to, p, sizeof to);
#endif
}
HELIORAY_HD uint32_t load(const uint32_t* p, float) {
    return *p;
}
HELIORAY_HD uint32_t load(const uint32_t* p, double) {
    return *p;
}
HELIORAY_HD float gather(const float* p, int32_t i, float) {
    return p[i];
}
HELIORAY_HD double gather(const float* p, int32_t i, double) {
    return p[i];
}
HELIORAY_HD double gather(const double* p, int32_t i, double) {
    return p[i];
}
/// Returns a number of a table of 16.
HELIORAY_HD float pick(const float (&table)[16], int32_t i) {
    return table[i];
}
HELIORAY_HD int32_t load_bytes(const uint8_t* p, float) {
    return *p;
}
HELIORAY_HD void store(int32_t* p, int32_t a) {
    *p = a;
}
HELIORAY_HD void store(uint32_t* p, uint32_t a) {
    *p = a;
}
HELIORAY_HD void store(float* p, float a) {
    *p = a;
}
HELIORAY_HD uint32_t lane_index(float) {
    return 0;
}
HELIORAY_HD uint32_t lane_index(double) {
    return 0;
}
HELIORAY_HD float lane_number(int first, float) {
    return static_cast<float>(first);
}
HELIORAY_HD double lane_number(int first, double) {
    return static_cast<double>(first);
}
HELIORAY_HD uint32_t lane_bits(bool mask) {
    return mask ? 1u : 0u;
}
HELIORAY_HD int64_t sum(int32_t a) {
    return a;
}
HELIORAY_HD float sum_by_halves(float a) {
    return a;
}
HELIORAY_HD int32_t smallest(int32_t a) {
    return a;
}
HELIORAY_HD int32_t largest(int32_t a) {
    return a;
}

/// Returns the number of zero bits below the lowest set bit of x, which must not be 0.
HELIORAY_HD int trailing_zeros(uint32_t x) {
#if defined(__CUDA_ARCH__)
    return __ffs(static_cast<int>(x)) - 1;
#else
    return __builtin_ctz(x);
#endif
}

/// Computes the high and the low half of a 32 x 32 bit product.
HELIORAY_HD void multiply_wide(uint32_t a, uint32_t b, uint32_t& high, uint32_t& low) {
    const uint64_t product = static_cast<uint64_t>(a) * b;
    high = static_cast<uint32_t>(product >> 32);
    low = static_cast<uint32_t>(product);
}

// Operations on 64-bit integers.

/// Number of 64-bit integers in a type.
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
/// Returns scale * a^2, rounded.
HELIORAY_HD int64_t scaled_square(int64_t a, double scale) {
    const auto x = static_cast<double>(a);
    return __builtin_llrint(scale * (x * x));
}

}  // namespace helioray::kernels
