// SPDX-License-Identifier: MIT
// Eight lanes in AVX2 registers. Only for translation units compiled for AVX2.
#pragma once

#include "kernels/core/scalar.h"

#include <immintrin.h>

namespace helioray::kernels::avx2 {

struct Mask {
    __m256 v;
};
struct Int {
    __m256i v;
};
struct Uint {
    __m256i v;
};
struct Lanes {
    __m256 v;
    Lanes() = default;
    HELIORAY_HD Lanes(__m256 x) : v(x) {}
    HELIORAY_HD Lanes(float x) : v(_mm256_set1_ps(x)) {}
};

HELIORAY_HD Lanes operator+(Lanes a, Lanes b) {
    return _mm256_add_ps(a.v, b.v);
}
HELIORAY_HD Lanes operator-(Lanes a, Lanes b) {
    return _mm256_sub_ps(a.v, b.v);
}
HELIORAY_HD Lanes operator*(Lanes a, Lanes b) {
    return _mm256_mul_ps(a.v, b.v);
}
HELIORAY_HD Lanes operator/(Lanes a, Lanes b) {
    return _mm256_div_ps(a.v, b.v);
}
HELIORAY_HD Lanes operator-(Lanes a) {
    return _mm256_xor_ps(a.v, _mm256_set1_ps(-0.0f));
}
HELIORAY_HD Lanes fma_(Lanes a, Lanes b, Lanes c) {
    return _mm256_fmadd_ps(a.v, b.v, c.v);
}
HELIORAY_HD Lanes sqrt_(Lanes a) {
    return _mm256_sqrt_ps(a.v);
}
HELIORAY_HD Lanes min_(Lanes a, Lanes b) {
    return _mm256_min_ps(a.v, b.v);
}
HELIORAY_HD Lanes max_(Lanes a, Lanes b) {
    return _mm256_max_ps(a.v, b.v);
}
HELIORAY_HD Lanes abs_(Lanes a) {
    return _mm256_andnot_ps(_mm256_set1_ps(-0.0f), a.v);
}

HELIORAY_HD Mask operator<(Lanes a, Lanes b) {
    return {_mm256_cmp_ps(a.v, b.v, _CMP_LT_OQ)};
}
HELIORAY_HD Mask operator<=(Lanes a, Lanes b) {
    return {_mm256_cmp_ps(a.v, b.v, _CMP_LE_OQ)};
}
HELIORAY_HD Mask operator>(Lanes a, Lanes b) {
    return {_mm256_cmp_ps(a.v, b.v, _CMP_GT_OQ)};
}
HELIORAY_HD Mask operator>=(Lanes a, Lanes b) {
    return {_mm256_cmp_ps(a.v, b.v, _CMP_GE_OQ)};
}
HELIORAY_HD Mask operator&(Mask a, Mask b) {
    return {_mm256_and_ps(a.v, b.v)};
}
HELIORAY_HD Mask operator|(Mask a, Mask b) {
    return {_mm256_or_ps(a.v, b.v)};
}
HELIORAY_HD Mask operator!(Mask a) {
    return {_mm256_xor_ps(a.v, _mm256_castsi256_ps(_mm256_set1_epi32(-1)))};
}
HELIORAY_HD bool any(Mask a) {
    return _mm256_movemask_ps(a.v) != 0;
}

HELIORAY_HD Lanes select(Mask m, Lanes a, Lanes b) {
    return _mm256_blendv_ps(b.v, a.v, m.v);
}
HELIORAY_HD Int select(Mask m, Int a, Int b) {
    return {_mm256_blendv_epi8(b.v, a.v, _mm256_castps_si256(m.v))};
}

HELIORAY_HD Int make_int(int32_t x, Lanes) {
    return {_mm256_set1_epi32(x)};
}
HELIORAY_HD Uint make_uint(uint32_t x, Lanes) {
    return {_mm256_set1_epi32(static_cast<int32_t>(x))};
}
HELIORAY_HD Int operator+(Int a, Int b) {
    return {_mm256_add_epi32(a.v, b.v)};
}
HELIORAY_HD Int operator-(Int a, Int b) {
    return {_mm256_sub_epi32(a.v, b.v)};
}
HELIORAY_HD Int operator*(Int a, Int b) {
    return {_mm256_mullo_epi32(a.v, b.v)};
}
HELIORAY_HD Int operator&(Int a, Int b) {
    return {_mm256_and_si256(a.v, b.v)};
}
HELIORAY_HD Int operator|(Int a, Int b) {
    return {_mm256_or_si256(a.v, b.v)};
}
/// Returns 2^n, for n from 0 to 31.
HELIORAY_HD Int power_of_two(Int n) {
    return {_mm256_sllv_epi32(_mm256_set1_epi32(1), n.v)};
}
HELIORAY_HD Int min_(Int a, Int b) {
    return {_mm256_min_epi32(a.v, b.v)};
}
HELIORAY_HD Int max_(Int a, Int b) {
    return {_mm256_max_epi32(a.v, b.v)};
}
/// Returns a, or where the mask is set the smaller (larger) of a and b.
HELIORAY_HD Int min_where(Mask m, Int a, Int b) {
    return min_(a, select(m, b, a));
}
HELIORAY_HD Int max_where(Mask m, Int a, Int b) {
    return max_(a, select(m, b, a));
}
HELIORAY_HD Mask operator==(Int a, Int b) {
    return {_mm256_castsi256_ps(_mm256_cmpeq_epi32(a.v, b.v))};
}
HELIORAY_HD Mask operator<(Int a, Int b) {
    return {_mm256_castsi256_ps(_mm256_cmpgt_epi32(b.v, a.v))};
}
HELIORAY_HD Int shift_right(Int a, int n) {
    return {_mm256_srai_epi32(a.v, n)};
}
HELIORAY_HD Int shift_left(Int a, int n) {
    return {_mm256_slli_epi32(a.v, n)};
}
HELIORAY_HD Uint operator^(Uint a, Uint b) {
    return {_mm256_xor_si256(a.v, b.v)};
}
HELIORAY_HD Uint operator+(Uint a, Uint b) {
    return {_mm256_add_epi32(a.v, b.v)};
}

HELIORAY_HD Int round_to_int(Lanes a) {
    return {_mm256_cvtps_epi32(a.v)};
}
HELIORAY_HD Int truncate_to_int(Lanes a) {
    return {_mm256_cvttps_epi32(a.v)};
}
HELIORAY_HD Lanes to_real(Int a, Lanes) {
    return _mm256_cvtepi32_ps(a.v);
}
HELIORAY_HD Int bits_of(Uint a) {
    return {a.v};
}
HELIORAY_HD Int float_bits(Lanes a) {
    return {_mm256_castps_si256(a.v)};
}
HELIORAY_HD Lanes bits_to_float(Int a) {
    return _mm256_castsi256_ps(a.v);
}
HELIORAY_HD Lanes unit_interval(Uint bits, Lanes) {
    return fma_(
        Lanes(_mm256_cvtepi32_ps(_mm256_srli_epi32(bits.v, 9))), Lanes(0x1p-23f), Lanes(0x1p-24f));
}

HELIORAY_HD void multiply_wide(Uint a, uint32_t b, Uint& high, Uint& low) {
    const __m256i factor = _mm256_set1_epi64x(b);
    const __m256i even = _mm256_mul_epu32(a.v, factor);
    const __m256i odd = _mm256_mul_epu32(_mm256_srli_epi64(a.v, 32), factor);
    low.v = _mm256_blend_epi32(even, _mm256_slli_epi64(odd, 32), 0xAA);
    high.v = _mm256_blend_epi32(_mm256_srli_epi64(even, 32), odd, 0xAA);
}

HELIORAY_HD Lanes load(const float* p, Lanes) {
    return _mm256_loadu_ps(p);
}
HELIORAY_HD Uint load(const uint32_t* p, Lanes) {
    return {_mm256_loadu_si256(reinterpret_cast<const __m256i*>(p))};
}
HELIORAY_HD Lanes gather(const float* p, Int i, Lanes) {
    return _mm256_i32gather_ps(p, i.v, 4);
}
HELIORAY_HD Lanes look_up(const float* table, Int i, Lanes) {
    return _mm256_i32gather_ps(table, i.v, 4);
}
/// Returns numbers of a table of 16 in registers.
HELIORAY_HD Lanes pick(const Lanes (&table)[2], Int i) {
    const __m256 low = _mm256_permutevar8x32_ps(table[0].v, i.v);
    const __m256 high = _mm256_permutevar8x32_ps(table[1].v, i.v);
    // The eighth of the index becomes the sign, which chooses.
    return _mm256_blendv_ps(low, high, _mm256_castsi256_ps(_mm256_slli_epi32(i.v, 28)));
}
/// Four instructions, fewer than a gather needs.
HELIORAY_HD Lanes look_up_few(const float* table, Int i, Lanes) {
    const Lanes halves[2]{_mm256_loadu_ps(table), _mm256_loadu_ps(table + 8)};
    return pick(halves, i);
}
HELIORAY_HD Int load_bytes(const uint8_t* p, Lanes) {
    return {_mm256_cvtepu8_epi32(_mm_loadl_epi64(reinterpret_cast<const __m128i*>(p)))};
}
/// Returns the low 32 bits of the 64-bit integers that are i 32-bit words after p.
HELIORAY_HD Int low_words(const int64_t* p, Int i, Lanes) {
    return {_mm256_i32gather_epi32(reinterpret_cast<const int*>(p), i.v, 4)};
}
HELIORAY_HD void store(uint32_t* p, Uint a) {
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(p), a.v);
}
HELIORAY_HD void store(int32_t* p, Int a) {
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(p), a.v);
}
HELIORAY_HD void store(float* p, Lanes a) {
    _mm256_storeu_ps(p, a.v);
}
HELIORAY_HD Uint lane_index(Lanes) {
    return {_mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7)};
}
/// Returns first, first + 1, ...
HELIORAY_HD Lanes lane_number(int first, Lanes zero) {
    return to_real(Int{lane_index(zero).v}, zero) + Lanes(static_cast<float>(first));
}
/// Returns the mask as bits: bit l is lane l.
HELIORAY_HD uint32_t lane_bits(Mask a) {
    return static_cast<uint32_t>(_mm256_movemask_ps(a.v));
}
HELIORAY_HD int64_t sum(Int a) {
    const __m256i low = _mm256_cvtepi32_epi64(_mm256_castsi256_si128(a.v));
    const __m256i high = _mm256_cvtepi32_epi64(_mm256_extracti128_si256(a.v, 1));
    const __m256i four = _mm256_add_epi64(low, high);
    const __m128i two =
        _mm_add_epi64(_mm256_castsi256_si128(four), _mm256_extracti128_si256(four, 1));
    return _mm_cvtsi128_si64(two) + _mm_extract_epi64(two, 1);
}
/// Returns the sum of all lanes by halves: lane i and i + 4, then i + 2, 1.
HELIORAY_HD float sum_by_halves(Lanes a) {
    __m128 four = _mm_add_ps(_mm256_castps256_ps128(a.v), _mm256_extractf128_ps(a.v, 1));
    four = _mm_add_ps(four, _mm_movehl_ps(four, four));
    return _mm_cvtss_f32(_mm_add_ss(four, _mm_movehdup_ps(four)));
}
HELIORAY_HD int32_t smallest(Int a) {
    __m128i m = _mm_min_epi32(_mm256_castsi256_si128(a.v), _mm256_extracti128_si256(a.v, 1));
    m = _mm_min_epi32(m, _mm_shuffle_epi32(m, 0x4E));
    m = _mm_min_epi32(m, _mm_shuffle_epi32(m, 0xB1));
    return _mm_cvtsi128_si32(m);
}
HELIORAY_HD int32_t largest(Int a) {
    __m128i m = _mm_max_epi32(_mm256_castsi256_si128(a.v), _mm256_extracti128_si256(a.v, 1));
    m = _mm_max_epi32(m, _mm_shuffle_epi32(m, 0x4E));
    m = _mm_max_epi32(m, _mm_shuffle_epi32(m, 0xB1));
    return _mm_cvtsi128_si32(m);
}

/// Four 64-bit integers.
struct Longs {
    static constexpr int kWidth = 4;
    __m256i v;
};
HELIORAY_HD Longs load_longs(const int64_t* p, Longs) {
    return {_mm256_loadu_si256(reinterpret_cast<const __m256i*>(p))};
}
HELIORAY_HD void store(int64_t* p, Longs a) {
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(p), a.v);
}
HELIORAY_HD Longs operator+(Longs a, Longs b) {
    return {_mm256_add_epi64(a.v, b.v)};
}
HELIORAY_HD Longs operator-(Longs a, Longs b) {
    return {_mm256_sub_epi64(a.v, b.v)};
}
HELIORAY_HD Longs operator|(Longs a, Longs b) {
    return {_mm256_or_si256(a.v, b.v)};
}
HELIORAY_HD bool any(Longs a) {
    return _mm256_testz_si256(a.v, a.v) == 0;
}
/// Returns scale * a^2, rounded. AVX2 cannot convert 64-bit integers: added to 1.5 * 2^52, they are
/// the last bits of a double, exact up to 2^51. Larger numbers are converted one by one.
HELIORAY_HD Longs scaled_square(Longs a, double scale) {
    const __m256d shift = _mm256_set1_pd(0x1.8p52);
    const __m256i shift_bits = _mm256_castpd_si256(shift);
    const __m256d x = _mm256_sub_pd(_mm256_castsi256_pd(_mm256_add_epi64(a.v, shift_bits)), shift);
    const __m256d square = _mm256_mul_pd(_mm256_set1_pd(scale), _mm256_mul_pd(x, x));
    const __m256i limit = _mm256_set1_epi64x(int64_t{1} << 51);
    const __m256i too_large =
        _mm256_srli_epi64(_mm256_add_epi64(a.v, limit), 52) |
        _mm256_castpd_si256(_mm256_cmp_pd(square, _mm256_set1_pd(0x1p51), _CMP_NLT_UQ));
    if (_mm256_testz_si256(too_large, too_large) == 0) {
        int64_t values[Longs::kWidth];
        store(values, a);
        for (int64_t& value : values) value = helioray::kernels::scaled_square(value, scale);
        return load_longs(values, a);
    }
    return {_mm256_sub_epi64(_mm256_castpd_si256(_mm256_add_pd(square, shift)), shift_bits)};
}

/// Four doubles.
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
/// These functions access memory that is aligned to the register.
HELIORAY_HD Doubles load_aligned(const double* from, Doubles) {
    return _mm256_load_pd(from);
}
HELIORAY_HD void store_aligned(double* to, Doubles a) {
    _mm256_store_pd(to, a.v);
}

}  // namespace helioray::kernels::avx2

namespace helioray::kernels {

template <>
struct LaneTraits<avx2::Lanes> {
    using Mask = avx2::Mask;
    using Int = avx2::Int;
    using Uint = avx2::Uint;
    static constexpr int kWidth = 8;
};

}  // namespace helioray::kernels
