// SPDX-License-Identifier: MIT
// Sums over columns of light. Compiled once per instruction set.
//
// Vectors have the same number of lanes for every set; the compiler divides them into the vectors
// of the set. Sums are therefore added in the same order everywhere.
#include "kernels/cpu/column_functions.h"

#if defined(HELIORAY_WITH_AVX512) || defined(HELIORAY_WITH_AVX2)
#include <immintrin.h>
#endif

namespace helioray::kernels::HELIORAY_SET {

namespace {

constexpr int kLanes = kColumnLanes;

using Doubles8 = double __attribute__((vector_size(64)));
using Floats16 = float __attribute__((vector_size(64)));

/// Converts exactly, for every set.
inline __attribute__((always_inline)) void load(const uint16_t* from, Doubles8& to) {
#if defined(HELIORAY_WITH_AVX512)
    const __m128i steps = _mm_loadu_si128(reinterpret_cast<const __m128i*>(from));
    to = Doubles8(_mm512_cvtepi32_pd(_mm256_cvtepu16_epi32(steps)));
#elif defined(HELIORAY_WITH_AVX2)
    const __m128i steps = _mm_loadu_si128(reinterpret_cast<const __m128i*>(from));
    const __m256d low = _mm256_cvtepi32_pd(_mm_cvtepu16_epi32(steps));
    const __m256d high = _mm256_cvtepi32_pd(_mm_cvtepu16_epi32(_mm_srli_si128(steps, 8)));
    __builtin_memcpy(&to, &low, sizeof low);
    __builtin_memcpy(reinterpret_cast<char*>(&to) + sizeof low, &high, sizeof high);
#else
    for (int k = 0; k < kLanes; ++k) to[k] = from[k];
#endif
}

inline __attribute__((always_inline)) void add_to(double* to, const Doubles8& values) {
    Doubles8 sum;
    __builtin_memcpy(&sum, to, sizeof sum);
    sum += values;
    __builtin_memcpy(to, &sum, sizeof sum);
}

/// Adds the first `count` values, fewer than kLanes.
inline __attribute__((always_inline)) void add_first(const Doubles8& values,
                                                     int count,
                                                     double* to) {
#if defined(HELIORAY_WITH_AVX512)
    const auto mask = static_cast<__mmask8>((1u << static_cast<unsigned>(count)) - 1u);
    _mm512_mask_storeu_pd(
        to, mask, _mm512_add_pd(_mm512_maskz_loadu_pd(mask, to), __m512d(values)));
#else
    for (int k = 0; k < count; ++k) to[k] += values[k];
#endif
}

inline __attribute__((always_inline)) void mix(const ColumnTaps& taps,
                                               const double* weights,
                                               int i,
                                               Doubles8& edges) {
    Doubles8 a, b, c;
    load(taps.tap[0] + i, a);
    load(taps.tap[1] + i, b);
    load(taps.tap[2] + i, c);
    edges = weights[0] * a + weights[1] * b + weights[2] * c;
}

void add(const ColumnTaps& taps, const double* weights, int num_cells, double* cells) {
    Doubles8 edges, next;
    mix(taps, weights, 0, edges);
    int i = 0;
    for (; i + kLanes <= num_cells; i += kLanes, edges = next) {
        mix(taps, weights, i + kLanes, next);
        const Doubles8 below = __builtin_shufflevector(edges, next, 1, 2, 3, 4, 5, 6, 7, 8);
        add_to(cells + i, below - edges);
    }
    if (i == num_cells) return;
    const Doubles8 below = __builtin_shufflevector(edges, edges, 1, 2, 3, 4, 5, 6, 7, 7);
    add_first(below - edges, num_cells - i, cells + i);
}

void dot(const ColumnTaps& taps,
         const double* factors,
         double last,
         int num_edges,
         double scale,
         double* sums) {
    Doubles8 sum0{}, sum1{}, sum2{};
    Doubles8 edge{0, 1, 2, 3, 4, 5, 6, 7};
    const auto end = static_cast<double>(num_edges - 1);
    for (int i = 0; i < num_edges; i += kLanes, edge += static_cast<double>(kLanes)) {
        Doubles8 factor, tap;
        __builtin_memcpy(&factor, factors + i, sizeof factor);
        factor = edge < end ? factor : Doubles8{};
        factor = edge == end ? Doubles8{} + last : factor;
        load(taps.tap[0] + i, tap);
        sum0 += factor * tap;
        load(taps.tap[1] + i, tap);
        sum1 += factor * tap;
        load(taps.tap[2] + i, tap);
        sum2 += factor * tap;
    }
    add_to(sums, scale * sum0);
    add_to(sums + kLanes, scale * sum1);
    add_to(sums + int64_t{2} * kLanes, scale * sum2);
}

inline __attribute__((always_inline)) void add_times(float factor,
                                                     const float* from,
                                                     Floats16& sum) {
    Floats16 lanes;
    __builtin_memcpy(&lanes, from, sizeof lanes);
    sum += factor * lanes;
}

/// Computes kVectors * kCorrelated sums in registers.
template <int kVectors>
inline __attribute__((always_inline)) void correlate_block(const float* from,
                                                           const float* factors,
                                                           int num_factors,
                                                           float* to) {
    Floats16 sums[kVectors];
    __builtin_memcpy(sums, to, sizeof sums);
    for (int r = 0; r < num_factors; ++r, ++from) {
        const float factor = factors[r];
        // Skip cells in which the price does not change.
        if (factor == 0.0f) continue;
        for (int64_t v = 0; v < kVectors; ++v) add_times(factor, from + v * kCorrelated, sums[v]);
    }
    __builtin_memcpy(to, sums, sizeof sums);
}

void correlate(const float* from, const float* factors, int num_factors, int num_sums, float* to) {
    static_assert(sizeof(Floats16) == kCorrelated * sizeof(float));
    int q = 0;
    for (; q + kCorrelated < num_sums; q += 2 * kCorrelated)
        correlate_block<2>(from + q, factors, num_factors, to + q);
    if (q < num_sums) correlate_block<1>(from + q, factors, num_factors, to + q);
}

}  // namespace

ColumnSums column_functions() {
    return {add, dot, correlate};
}

}  // namespace helioray::kernels::HELIORAY_SET
