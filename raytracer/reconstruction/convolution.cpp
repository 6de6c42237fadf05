// SPDX-License-Identifier: MIT
// Radix-2 transforms along the columns of a grid, whole rows at a time.
#include "raytracer/reconstruction/convolution.h"

#include <cmath>
#include <numbers>
#include <utility>

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

/// Transforms along the rows' index; sign -1 forward, +1 backward.
void transform_columns(GridPair& g, double sign) {
    static const Rotations rotations;
    for (size_t i = 0; i < kGrid; ++i) {
        const size_t j = rotations.reversed[i];
        if (j <= i) continue;
        for (size_t c = 0; c < kGrid; ++c) {
            std::swap(g.first[i * kGrid + c], g.first[j * kGrid + c]);
            std::swap(g.second[i * kGrid + c], g.second[j * kGrid + c]);
        }
    }
    for (size_t half = 1; half < kGrid; half *= 2) {
        for (size_t start = 0; start < kGrid; start += 2 * half) {
            for (size_t k = 0; k < half; ++k) {
                const size_t turn = k * (kGrid / 2) / half;
                const double cosine = rotations.cosine[turn], sine = sign * rotations.sine[turn];
                const size_t row = (start + k) * kGrid, other = row + half * kGrid;
                double *re = &g.first[row], *im = &g.second[row];
                double *other_re = &g.first[other], *other_im = &g.second[other];
                for (size_t c = 0; c < kGrid; ++c) {
                    const double r = other_re[c] * cosine - other_im[c] * sine;
                    const double i = other_re[c] * sine + other_im[c] * cosine;
                    other_re[c] = re[c] - r;
                    other_im[c] = im[c] - i;
                    re[c] += r;
                    im[c] += i;
                }
            }
        }
    }
}

void transpose(const GridPair& from, GridPair& to) {
    for (size_t row = 0; row < kGrid; ++row) {
        for (size_t column = 0; column < kGrid; ++column) {
            to.first[column * kGrid + row] = from.first[row * kGrid + column];
            to.second[column * kGrid + row] = from.second[row * kGrid + column];
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
