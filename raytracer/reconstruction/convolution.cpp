// SPDX-License-Identifier: MIT
// Radix-2 transforms along the columns of a grid, whole rows at a time.
#include "raytracer/reconstruction/convolution.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace helioray::reconstruction {

namespace {

constexpr double kPi = std::numbers::pi;

struct Rotations {
    std::array<double, kGrid / 2> cosine{}, sine{};
    std::array<size_t, kGrid> reversed{};  ///< indices with their bits in the other order
    Rotations() {
        for (size_t i = 0; i < kGrid / 2; ++i) {
            const double angle = 2.0 * kPi * static_cast<double>(i) / kGrid;
            cosine[i] = std::cos(angle);
            sine[i] = std::sin(angle);
        }
        for (size_t i = 0; i < kGrid; ++i) {
            size_t bits = i, result = 0;
            for (size_t n = 1; n < kGrid; n *= 2, bits /= 2) result = 2 * result + bits % 2;
            reversed[i] = result;
        }
    }
};

// Columns that are transformed together, in a copy that the processor's first cache holds.
constexpr size_t kColumns = 16;

/// Transforms along the rows' index; sign -1 forward, +1 backward.
void transform_columns(GridPair& g, double sign) {
    static const Rotations rotations;
    std::array<std::array<double, kColumns>, kGrid> re, im;
    for (size_t first = 0; first < kGrid; first += kColumns) {
        for (size_t row = 0; row < kGrid; ++row) {
            const size_t from = rotations.reversed[row] * kGrid + first;
            std::copy_n(&g.first[from], kColumns, re[row].begin());
            std::copy_n(&g.second[from], kColumns, im[row].begin());
        }
        for (size_t half = 1; half < kGrid; half *= 2) {
            for (size_t start = 0; start < kGrid; start += 2 * half) {
                for (size_t k = 0; k < half; ++k) {
                    const size_t turn = k * (kGrid / 2) / half;
                    const double cosine = rotations.cosine[turn];
                    const double sine = sign * rotations.sine[turn];
                    auto &a_re = re[start + k], &a_im = im[start + k];
                    auto &b_re = re[start + k + half], &b_im = im[start + k + half];
                    for (size_t c = 0; c < kColumns; ++c) {
                        const double r = b_re[c] * cosine - b_im[c] * sine;
                        const double i = b_re[c] * sine + b_im[c] * cosine;
                        b_re[c] = a_re[c] - r;
                        b_im[c] = a_im[c] - i;
                        a_re[c] += r;
                        a_im[c] += i;
                    }
                }
            }
        }
        for (size_t row = 0; row < kGrid; ++row) {
            std::copy_n(re[row].begin(), kColumns, &g.first[row * kGrid + first]);
            std::copy_n(im[row].begin(), kColumns, &g.second[row * kGrid + first]);
        }
    }
}

/// Block by block: whole columns would all fall on the same few lines of the cache.
void transpose(const GridPair& from, GridPair& to) {
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

}  // namespace

double wave_number(size_t index) {
    const double signed_index =
        static_cast<double>(index) - (index < kGrid / 2 ? 0.0 : static_cast<double>(kGrid));
    return 2.0 * kPi * signed_index / (kGrid * kPixel);
}

void convolve(GridPair& grids, const std::vector<double>& transform, GridPair& scratch) {
    transform_columns(grids, -1.0);
    transpose(grids, scratch);
    transform_columns(scratch, -1.0);
    constexpr double kScale = 1.0 / kGridSize;
    for (size_t i = 0; i < kGridSize; ++i) {
        scratch.first[i] *= transform[i] * kScale;
        scratch.second[i] *= transform[i] * kScale;
    }
    transform_columns(scratch, 1.0);
    transpose(scratch, grids);
    transform_columns(grids, 1.0);
}

}  // namespace helioray::reconstruction
