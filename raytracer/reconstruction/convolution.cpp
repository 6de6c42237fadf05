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
    std::array<int, kGrid> reversed{};  ///< indices with their bits in the other order
    Rotations() {
        for (int i = 0; i < kGrid / 2; ++i) {
            cosine[static_cast<size_t>(i)] = std::cos(2.0 * kPi * i / kGrid);
            sine[static_cast<size_t>(i)] = std::sin(2.0 * kPi * i / kGrid);
        }
        for (int i = 0; i < kGrid; ++i) {
            int bits = i, result = 0;
            for (int n = 1; n < kGrid; n *= 2, bits /= 2) result = 2 * result + bits % 2;
            reversed[static_cast<size_t>(i)] = result;
        }
    }
};

/// Transforms along the rows' index; sign -1 forward, +1 backward.
void transform_columns(GridPair& g, double sign) {
    static const Rotations rotations;
    for (int i = 0; i < kGrid; ++i) {
        const int j = rotations.reversed[static_cast<size_t>(i)];
        if (j <= i) continue;
        for (int c = 0; c < kGrid; ++c) {
            std::swap(g.first[static_cast<size_t>(i * kGrid + c)],
                      g.first[static_cast<size_t>(j * kGrid + c)]);
            std::swap(g.second[static_cast<size_t>(i * kGrid + c)],
                      g.second[static_cast<size_t>(j * kGrid + c)]);
        }
    }
    for (int half = 1; half < kGrid; half *= 2) {
        for (int start = 0; start < kGrid; start += 2 * half) {
            for (int k = 0; k < half; ++k) {
                const auto turn = static_cast<size_t>(k * (kGrid / 2) / half);
                const double cosine = rotations.cosine[turn], sine = sign * rotations.sine[turn];
                double* re = &g.first[static_cast<size_t>((start + k) * kGrid)];
                double* im = &g.second[static_cast<size_t>((start + k) * kGrid)];
                double* other_re = re + half * kGrid;
                double* other_im = im + half * kGrid;
                for (int c = 0; c < kGrid; ++c) {
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
    for (int row = 0; row < kGrid; ++row) {
        for (int column = 0; column < kGrid; ++column) {
            const auto a = static_cast<size_t>(row * kGrid + column);
            const auto b = static_cast<size_t>(column * kGrid + row);
            to.first[b] = from.first[a];
            to.second[b] = from.second[a];
        }
    }
}

}  // namespace

double wave_number(int index) {
    const int signed_index = index < kGrid / 2 ? index : index - kGrid;
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
