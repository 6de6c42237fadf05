// SPDX-License-Identifier: MIT
// Transforms grids along their columns, with two stages of radix 2 and whole rows at a time.
#include "raytracer/solvers/reconstruction/images/convolution.h"

#include "kernels/core/instruction_set.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace helioray::reconstruction {

namespace {

constexpr double kPi = std::numbers::pi;

template <typename Number>
struct Rotations {
    std::array<Number, kGrid / 2> cosine{}, sine{};
    Rotations() {
        for (size_t i = 0; i < kGrid / 2; ++i) {
            const double angle = 2.0 * kPi * static_cast<double>(i) / kGrid;
            cosine[i] = static_cast<Number>(std::cos(angle));
            sine[i] = static_cast<Number>(std::sin(angle));
        }
    }
};

/// Returns the indices with their bits reversed.
std::array<size_t, kGrid> reversed_bits() {
    std::array<size_t, kGrid> reversed{};
    for (size_t i = 0; i < kGrid; ++i) {
        size_t bits = i, result = 0;
        for (size_t n = 1; n < kGrid; n *= 2, bits /= 2) result = 2 * result + bits % 2;
        reversed[i] = result;
    }
    return reversed;
}

// Number of columns that are transformed together, in a copy that fits into the processor's first
// cache.
constexpr size_t kColumns = 16;
static_assert(kImagePixels % kColumns == 0);

/// Real and imaginary parts of adjacent columns.
template <typename Number>
struct Columns {
    using Part = std::array<std::array<Number, kColumns>, kGrid>;
    Part re, im;
};

/// Cosine and sine of a rotation.
template <typename Number>
using Turn = std::array<Number, 2>;

/// Combines four rows in two stages of radix 2. The rows must not overlap; compilers can only
/// vectorise if they know this.
template <typename Number>
void two_stages(const std::array<Turn<Number>, 3>& turns,
                Number* __restrict a_re,
                Number* __restrict a_im,
                Number* __restrict b_re,
                Number* __restrict b_im,
                Number* __restrict c_re,
                Number* __restrict c_im,
                Number* __restrict d_re,
                Number* __restrict d_im) {
    const Number cos_1 = turns[0][0], sin_1 = turns[0][1];
    const Number cos_2 = turns[1][0], sin_2 = turns[1][1];
    const Number cos_3 = turns[2][0], sin_3 = turns[2][1];
    for (size_t c = 0; c < kColumns; ++c) {
        const Number br = b_re[c] * cos_1 - b_im[c] * sin_1;
        const Number bi = b_re[c] * sin_1 + b_im[c] * cos_1;
        const Number dr = d_re[c] * cos_1 - d_im[c] * sin_1;
        const Number di = d_re[c] * sin_1 + d_im[c] * cos_1;
        const Number pr = a_re[c] + br, pi = a_im[c] + bi;
        const Number qr = a_re[c] - br, qi = a_im[c] - bi;
        const Number er = c_re[c] + dr, ei = c_im[c] + di;
        const Number fr = c_re[c] - dr, fi = c_im[c] - di;
        const Number sr = er * cos_2 - ei * sin_2, si = er * sin_2 + ei * cos_2;
        const Number tr = fr * cos_3 - fi * sin_3, ti = fr * sin_3 + fi * cos_3;
        a_re[c] = pr + sr;
        a_im[c] = pi + si;
        b_re[c] = qr + tr;
        b_im[c] = qi + ti;
        c_re[c] = pr - sr;
        c_im[c] = pi - si;
        d_re[c] = qr - tr;
        d_im[c] = qi - ti;
    }
}

/// Executes all stages of a transform of rows in the order of reversed_bits().
template <typename Number>
void transform_rows(Columns<Number>& columns, Number sign) {
    static const Rotations<Number> rotations;
    const auto turn = [&](size_t k, size_t of) {
        const size_t i = k * (kGrid / 2) / of;
        return Turn<Number>{rotations.cosine[i], sign * rotations.sine[i]};
    };
    static_assert(kGrid == 64);
    for (const size_t half : {1, 4, 16}) {
        for (size_t k = 0; k < half; ++k) {
            const std::array turns{turn(k, half), turn(k, 2 * half), turn(k + half, 2 * half)};
            for (size_t row = k; row < kGrid; row += 4 * half) {
                const auto re = [&](size_t i) { return columns.re[row + i * half].data(); };
                const auto im = [&](size_t i) { return columns.im[row + i * half].data(); };
                two_stages(turns, re(0), im(0), re(1), im(1), re(2), im(2), re(3), im(3));
            }
        }
    }
}

/// Returns true if these columns are zero.
template <typename Number>
bool is_dark(const Columns<Number>& columns) {
    std::array<Number, kColumns> sums{};
    for (size_t row = 0; row < kGrid; ++row)
        for (size_t c = 0; c < kColumns; ++c)
            sums[c] += std::abs(columns.re[row][c]) + std::abs(columns.im[row][c]);
    return std::all_of(sums.begin(), sums.end(), [](Number sum) { return sum == Number{0}; });
}

/// Transforms these columns along the rows' index; the sign is -1 forward and +1 backward.
template <typename Number>
void transform_columns(GridPair<Number>& g, Number sign, size_t from_column, size_t to_column) {
    static const std::array<size_t, kGrid> reversed = reversed_bits();
    Columns<Number> columns;
    for (size_t first = from_column; first < to_column; first += kColumns) {
        for (size_t row = 0; row < kGrid; ++row) {
            const size_t from = reversed[row] * kGrid + first;
            std::copy_n(&g.first[from], kColumns, columns.re[row].begin());
            std::copy_n(&g.second[from], kColumns, columns.im[row].begin());
        }
        // A facet's light covers few columns.
        if (is_dark(columns)) continue;
        transform_rows(columns, sign);
        for (size_t row = 0; row < kGrid; ++row) {
            std::copy_n(columns.re[row].begin(), kColumns, &g.first[row * kGrid + first]);
            std::copy_n(columns.im[row].begin(), kColumns, &g.second[row * kGrid + first]);
        }
    }
}

/// Transposes block by block: whole columns would all fall on the same few cache lines.
template <typename Number>
void transpose(const GridPair<Number>& from, GridPair<Number>& to) {
    constexpr size_t kBlock = 8;
    for (size_t top = 0; top < kGrid; top += kBlock) {
        for (size_t left = 0; left < kGrid; left += kBlock) {
            for (size_t row = top; row < top + kBlock; ++row) {
                for (size_t column = left; column < left + kBlock; ++column) {
                    to.first[column * kGrid + row] = from.first[row * kGrid + column];
                    to.second[column * kGrid + row] = from.second[row * kGrid + column];
                }
            }
        }
    }
}

template <typename Number>
void convolve_here(GridPair<Number>& grids,
                   const std::vector<Number>& transform,
                   GridPair<Number>& scratch) {
    constexpr Number kForward{-1}, kBackward{1};
    transform_columns(grids, kForward, 0, kGrid);
    transpose(grids, scratch);
    transform_columns(scratch, kForward, 0, kGrid);
    constexpr Number kScale = Number{1} / kGridSize;
    for (size_t i = 0; i < kGridSize; ++i) {
        scratch.first[i] *= transform[i] * kScale;
        scratch.second[i] *= transform[i] * kScale;
    }
    transform_columns(scratch, kBackward, 0, kGrid);
    transpose(scratch, grids);
    transform_columns(grids, kBackward, kMargin, kGrid - kMargin);
}

/// Calls the convolution with vectors of 32 bytes, which save a tenth of a fit's time. The results
/// are bit-identical because products and sums are not contracted.
template <typename... Arguments>
[[gnu::target("avx2"), gnu::flatten]] void convolve_avx2(Arguments&... arguments) {
    convolve_here(arguments...);
}

}  // namespace

double wave_number(size_t index) {
    const double signed_index =
        static_cast<double>(index) - (index < kGrid / 2 ? 0.0 : static_cast<double>(kGrid));
    return 2.0 * kPi * signed_index / (kGrid * kPixel);
}

template <typename Number>
void convolve(GridPair<Number>& grids,
              const std::vector<Number>& transform,
              GridPair<Number>& scratch) {
    static const bool has_avx2 = kernels::usable_instruction_sets().size() > 1;
    has_avx2 ? convolve_avx2(grids, transform, scratch) : convolve_here(grids, transform, scratch);
}

template void convolve(GridPair<float>&, const std::vector<float>&, GridPair<float>&);
template void convolve(GridPair<double>&, const std::vector<double>&, GridPair<double>&);

}  // namespace helioray::reconstruction
