// SPDX-License-Identifier: MIT
// Sixteen lanes in AVX-512 registers. Only for translation units compiled for AVX-512.
#pragma once

#include "kernels/core/scalar.h"

#include <immintrin.h>

namespace helioray::kernels::avx512 {

struct Mask {
    __mmask16 v;
};
struct Int {
    __m512i v;
};
struct Uint {
    __m512i v;
};
struct Lanes {
    __m512 v;
    Lanes() = default;
    HELIORAY_HD Lanes(__m512 x) : v(x) {}
    HELIORAY_HD Lanes(float x) : v(_mm512_set1_ps(x)) {}
};

HELIORAY_HD Lanes operator+(Lanes a, Lanes b) {
    return _mm512_add_ps(a.v, b.v);
}
HELIORAY_HD Lanes operator-(Lanes a, Lanes b) {
    return _mm512_sub_ps(a.v, b.v);
}
HELIORAY_HD Lanes operator*(Lanes a, Lanes b) {
    return _mm512_mul_ps(a.v, b.v);
}
HELIORAY_HD Lanes operator/(Lanes a, Lanes b) {
    return _mm512_div_ps(a.v, b.v);
}
HELIORAY_HD Lanes operator-(Lanes a) {
    return _mm512_castsi512_ps(
        _mm512_xor_si512(_mm512_castps_si512(a.v), _mm512_set1_epi32(INT32_MIN)));
}
HELIORAY_HD Lanes fma_(Lanes a, Lanes b, Lanes c) {
    return _mm512_fmadd_ps(a.v, b.v, c.v);
}
HELIORAY_HD Lanes sqrt_(Lanes a) {
    return _mm512_sqrt_ps(a.v);
}
// The operand order is that of the scalar version, so that ties and signed zeros agree.
HELIORAY_HD Lanes min_(Lanes a, Lanes b) {
    return _mm512_min_ps(a.v, b.v);
}
HELIORAY_HD Lanes max_(Lanes a, Lanes b) {
    return _mm512_max_ps(a.v, b.v);
}
HELIORAY_HD Lanes abs_(Lanes a) {
    return _mm512_castsi512_ps(
        _mm512_and_si512(_mm512_castps_si512(a.v), _mm512_set1_epi32(INT32_MAX)));
}

HELIORAY_HD Mask operator<(Lanes a, Lanes b) {
    return {_mm512_cmp_ps_mask(a.v, b.v, _CMP_LT_OQ)};
}
HELIORAY_HD Mask operator<=(Lanes a, Lanes b) {
    return {_mm512_cmp_ps_mask(a.v, b.v, _CMP_LE_OQ)};
}
HELIORAY_HD Mask operator>(Lanes a, Lanes b) {
    return {_mm512_cmp_ps_mask(a.v, b.v, _CMP_GT_OQ)};
}
HELIORAY_HD Mask operator>=(Lanes a, Lanes b) {
    return {_mm512_cmp_ps_mask(a.v, b.v, _CMP_GE_OQ)};
}
HELIORAY_HD Mask operator&(Mask a, Mask b) {
    return {static_cast<__mmask16>(a.v & b.v)};
}
HELIORAY_HD Mask operator|(Mask a, Mask b) {
    return {static_cast<__mmask16>(a.v | b.v)};
}
HELIORAY_HD Mask operator!(Mask a) {
    return {static_cast<__mmask16>(~a.v)};
}
HELIORAY_HD bool any(Mask a) {
    return a.v != 0;
}

HELIORAY_HD Lanes select(Mask m, Lanes a, Lanes b) {
    return _mm512_mask_blend_ps(m.v, b.v, a.v);
}
HELIORAY_HD Int select(Mask m, Int a, Int b) {
    return {_mm512_mask_blend_epi32(m.v, b.v, a.v)};
}

HELIORAY_HD Int make_int(int32_t x, Lanes) {
    return {_mm512_set1_epi32(x)};
}
HELIORAY_HD Uint make_uint(uint32_t x, Lanes) {
    return {_mm512_set1_epi32(static_cast<int32_t>(x))};
}
HELIORAY_HD Int operator+(Int a, Int b) {
    return {_mm512_add_epi32(a.v, b.v)};
}
HELIORAY_HD Int operator-(Int a, Int b) {
    return {_mm512_sub_epi32(a.v, b.v)};
}
HELIORAY_HD Int operator*(Int a, Int b) {
    return {_mm512_mullo_epi32(a.v, b.v)};
}
HELIORAY_HD Int operator&(Int a, Int b) {
    return {_mm512_and_si512(a.v, b.v)};
}
HELIORAY_HD Int operator|(Int a, Int b) {
    return {_mm512_or_si512(a.v, b.v)};
}
/// Returns 2^n, for n from 0 to 31.
HELIORAY_HD Int power_of_two(Int n) {
    return {_mm512_sllv_epi32(_mm512_set1_epi32(1), n.v)};
}
HELIORAY_HD Int min_(Int a, Int b) {
    return {_mm512_min_epi32(a.v, b.v)};
}
HELIORAY_HD Int max_(Int a, Int b) {
    return {_mm512_max_epi32(a.v, b.v)};
}
/// Returns a, or where the mask is set the smaller (larger) of a and b.
HELIORAY_HD Int min_where(Mask m, Int a, Int b) {
    return {_mm512_mask_min_epi32(a.v, m.v, a.v, b.v)};
}
HELIORAY_HD Int max_where(Mask m, Int a, Int b) {
    return {_mm512_mask_max_epi32(a.v, m.v, a.v, b.v)};
}
HELIORAY_HD Mask operator==(Int a, Int b) {
    return {_mm512_cmpeq_epi32_mask(a.v, b.v)};
}
HELIORAY_HD Mask operator<(Int a, Int b) {
    return {_mm512_cmplt_epi32_mask(a.v, b.v)};
}
HELIORAY_HD Int shift_right(Int a, int n) {
    return {_mm512_srai_epi32(a.v, static_cast<unsigned>(n))};
}
HELIORAY_HD Int shift_left(Int a, int n) {
    return {_mm512_slli_epi32(a.v, static_cast<unsigned>(n))};
}
HELIORAY_HD Uint operator^(Uint a, Uint b) {
    return {_mm512_xor_si512(a.v, b.v)};
}
HELIORAY_HD Uint operator+(Uint a, Uint b) {
    return {_mm512_add_epi32(a.v, b.v)};
}

HELIORAY_HD Int round_to_int(Lanes a) {
    return {_mm512_cvtps_epi32(a.v)};
}
HELIORAY_HD Int truncate_to_int(Lanes a) {
    return {_mm512_cvttps_epi32(a.v)};
}
HELIORAY_HD Lanes to_real(Int a, Lanes) {
    return _mm512_cvtepi32_ps(a.v);
}
HELIORAY_HD Int bits_of(Uint a) {
    return {a.v};
}
HELIORAY_HD Int float_bits(Lanes a) {
    return {_mm512_castps_si512(a.v)};
}
HELIORAY_HD Lanes bits_to_float(Int a) {
    return _mm512_castsi512_ps(a.v);
}
HELIORAY_HD Lanes unit_interval(Uint bits, Lanes) {
    return fma_(
        Lanes(_mm512_cvtepi32_ps(_mm512_srli_epi32(bits.v, 9))), Lanes(0x1p-23f), Lanes(0x1p-24f));
}

HELIORAY_HD void multiply_wide(Uint a, uint32_t b, Uint& high, Uint& low) {
    const __m512i factor = _mm512_set1_epi64(b);
    const __m512i even = _mm512_mul_epu32(a.v, factor);
    const __m512i odd = _mm512_mul_epu32(_mm512_srli_epi64(a.v, 32), factor);
    low.v = _mm512_mask_blend_epi32(0xAAAA, even, _mm512_slli_epi64(odd, 32));
    high.v = _mm512_mask_blend_epi32(0xAAAA, _mm512_srli_epi64(even, 32), odd);
}

HELIORAY_HD Lanes load(const float* p, Lanes) {
    return _mm512_loadu_ps(p);
}
HELIORAY_HD Uint load(const uint32_t* p, Lanes) {
    return {_mm512_loadu_si512(p)};
}
HELIORAY_HD Lanes gather(const float* p, Int i, Lanes) {
    return _mm512_i32gather_ps(i.v, p, 4);
}
/// Two instructions, while a gather takes one or more cycles for each lane.
HELIORAY_HD Lanes look_up(const float* table, Int i, Lanes) {
    return _mm512_permutex2var_ps(_mm512_loadu_ps(table), i.v, _mm512_loadu_ps(table + 16));
}
HELIORAY_HD Lanes look_up_few(const float* table, Int i, Lanes) {
    return _mm512_permutexvar_ps(i.v, _mm512_loadu_ps(table));
}
/// Returns numbers of a table of 16 in registers.
HELIORAY_HD Lanes pick(const Lanes (&table)[1], Int i) {
    return _mm512_permutexvar_ps(i.v, table[0].v);
}
HELIORAY_HD Int load_bytes(const uint8_t* p, Lanes) {
    return {_mm512_cvtepu8_epi32(_mm_loadu_si128(reinterpret_cast<const __m128i*>(p)))};
}
/// Returns the low 32 bits of the 64-bit integers that are i 32-bit words after p.
HELIORAY_HD Int low_words(const int64_t* p, Int i, Lanes) {
    return {_mm512_i32gather_epi32(i.v, p, 4)};
}
HELIORAY_HD void store(uint32_t* p, Uint a) {
    _mm512_storeu_si512(p, a.v);
}
HELIORAY_HD void store(int32_t* p, Int a) {
    _mm512_storeu_si512(p, a.v);
}
HELIORAY_HD void store(float* p, Lanes a) {
    _mm512_storeu_ps(p, a.v);
}
HELIORAY_HD Uint lane_index(Lanes) {
    return {_mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15)};
}
/// Returns first, first + 1, ...
HELIORAY_HD Lanes lane_number(int first, Lanes zero) {
    return to_real(Int{lane_index(zero).v}, zero) + Lanes(static_cast<float>(first));
}
/// Returns the mask as bits: bit l is lane l.
HELIORAY_HD uint32_t lane_bits(Mask a) {
    return a.v;
}
/// Returns the exact sum of all lanes.
HELIORAY_HD int64_t sum(Int a) {
    const __m512i low = _mm512_cvtepi32_epi64(_mm512_castsi512_si256(a.v));
    const __m512i high = _mm512_cvtepi32_epi64(_mm512_extracti64x4_epi64(a.v, 1));
    return _mm512_reduce_add_epi64(_mm512_add_epi64(low, high));
}
/// Returns the sum of all lanes by halves: lane i and i + 8, then i + 4, 2, 1.
HELIORAY_HD float sum_by_halves(Lanes a) {
    const __m256 eight = _mm256_add_ps(_mm512_castps512_ps256(a.v), _mm512_extractf32x8_ps(a.v, 1));
    __m128 four = _mm_add_ps(_mm256_castps256_ps128(eight), _mm256_extractf128_ps(eight, 1));
    four = _mm_add_ps(four, _mm_movehl_ps(four, four));
    return _mm_cvtss_f32(_mm_add_ss(four, _mm_movehdup_ps(four)));
}
HELIORAY_HD int32_t smallest(Int a) {
    return _mm512_reduce_min_epi32(a.v);
}
HELIORAY_HD int32_t largest(Int a) {
    return _mm512_reduce_max_epi32(a.v);
}

/// Eight 64-bit integers.
struct Longs {
    static constexpr int kWidth = 8;
    __m512i v;
};
HELIORAY_HD Longs load_longs(const int64_t* p, Longs) {
    return {_mm512_loadu_si512(p)};
}
HELIORAY_HD void store(int64_t* p, Longs a) {
    _mm512_storeu_si512(p, a.v);
}
HELIORAY_HD Longs operator+(Longs a, Longs b) {
    return {_mm512_add_epi64(a.v, b.v)};
}
HELIORAY_HD Longs operator-(Longs a, Longs b) {
    return {_mm512_sub_epi64(a.v, b.v)};
}
HELIORAY_HD Longs operator|(Longs a, Longs b) {
    return {_mm512_or_si512(a.v, b.v)};
}
HELIORAY_HD bool any(Longs a) {
    return _mm512_test_epi64_mask(a.v, a.v) != 0;
}
/// Returns scale * a^2, rounded.
HELIORAY_HD Longs scaled_square(Longs a, double scale) {
    const __m512d x = _mm512_cvtepi64_pd(a.v);
    return {_mm512_cvtpd_epi64(_mm512_mul_pd(_mm512_set1_pd(scale), _mm512_mul_pd(x, x)))};
}

/// Eight doubles.
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
/// These functions access memory that is aligned to the register.
HELIORAY_HD Doubles load_aligned(const double* from, Doubles) {
    return _mm512_load_pd(from);
}
HELIORAY_HD void store_aligned(double* to, Doubles a) {
    _mm512_store_pd(to, a.v);
}

}  // namespace helioray::kernels::avx512

namespace helioray::kernels {

template <>
struct LaneTraits<avx512::Lanes> {
    using Mask = avx512::Mask;
    using Int = avx512::Int;
    using Uint = avx512::Uint;
    static constexpr int kWidth = 16;
};

}  // namespace helioray::kernels
