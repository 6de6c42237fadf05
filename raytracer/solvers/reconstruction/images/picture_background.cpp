// SPDX-License-Identifier: MIT
// Computes robust estimates of a background and of its noise.
#include "raytracer/solvers/reconstruction/images/picture_background.h"

#include "raytracer/linear/cholesky.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <stdexcept>
#include <utility>
#include <vector>

namespace helioray::reconstruction {

namespace {

constexpr int64_t kMostBlocks = 16;
// Ratio of the standard deviation to the median of absolute values, for a Gaussian.
constexpr double kDeviationOfMedian = 1.4826;
constexpr double kLargestSlope = 0.5;  // fraction of the level
constexpr double kRegular = 1e-6;      // fraction of one block
constexpr int kMostPasses = 20;
// Mean of the darkest quarter of Gaussian numbers, in standard deviations.
constexpr double kMeanOfQuarter = -1.2711;

double median(std::vector<double> values) {
    const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
    std::nth_element(values.begin(), middle, values.end());
    return *middle;
}

/// A block of the picture.
struct Block {
    double x = 0.0, y = 0.0;  ///< Position of its middle, -1 to 1, to the right and up.
    double mean = 0.0;        ///< Mean of its pixels.
    double pixels = 0.0;      ///< Number of its pixels.
    int64_t from_row = 0, to_row = 0, from_column = 0, to_column = 0;
};

std::vector<Block> list_blocks(const FluxMap& picture) {
    const int64_t rows = std::min(kMostBlocks, picture.height);
    const int64_t columns = std::min(kMostBlocks, picture.width);
    std::vector<Block> blocks;
    for (int64_t i = 0; i < rows; ++i) {
        for (int64_t j = 0; j < columns; ++j) {
            Block block;
            block.from_row = i * picture.height / rows;
            block.to_row = (i + 1) * picture.height / rows;
            block.from_column = j * picture.width / columns;
            block.to_column = (j + 1) * picture.width / columns;
            block.y = 1.0 - static_cast<double>(block.from_row + block.to_row) /
                                static_cast<double>(picture.height);
            block.x = static_cast<double>(block.from_column + block.to_column) /
                          static_cast<double>(picture.width) -
                      1.0;
            for (int64_t row = block.from_row; row < block.to_row; ++row)
                for (int64_t column = block.from_column; column < block.to_column; ++column)
                    block.mean += picture.values[static_cast<size_t>(row * picture.width + column)];
            block.pixels = static_cast<double>((block.to_row - block.from_row) *
                                               (block.to_column - block.from_column));
            block.mean /= block.pixels;
            blocks.push_back(block);
        }
    }
    return blocks;
}

double estimate_noise(const FluxMap& picture, const std::vector<Block>& blocks) {
    std::vector<double> means;
    for (const Block& block : blocks) means.push_back(block.mean);
    const double half = median(std::move(means));
    std::vector<double> differences;
    for (const Block& block : blocks) {
        if (block.mean > half) continue;
        for (int64_t row = block.from_row; row < block.to_row; ++row) {
            for (int64_t column = std::max<int64_t>(1, block.from_column);
                 column < std::min(picture.width - 1, block.to_column);
                 ++column) {
                const double* at =
                    &picture.values[static_cast<size_t>(row * picture.width + column)];
                differences.push_back(std::abs(at[-1] - 2.0 * at[0] + at[1]));
            }
        }
    }
    if (differences.empty()) return 0.0;
    // The weights 1, -2, 1 yield six times the variance of a pixel.
    return kDeviationOfMedian * median(std::move(differences)) / std::sqrt(6.0);
}

}  // namespace

PictureBackground find_background(const FluxMap& picture) {
    std::vector<Block> blocks = list_blocks(picture);
    PictureBackground found;
    found.noise = estimate_noise(picture, blocks);
    const auto above = [&](const Block& block) {
        return block.mean - found.level - found.slope[0] * block.x - found.slope[1] * block.y;
    };
    const size_t quarter = std::max<size_t>(1, blocks.size() / 4);
    for (int pass = 0; pass < kMostPasses; ++pass) {
        // Blocks of equal brightness keep their order, so that no result depends on the library.
        std::stable_sort(blocks.begin(), blocks.end(), [&](const Block& a, const Block& b) {
            return above(a) < above(b);
        });
        const PictureBackground before = found;
        std::array<double, 3> right{};
        SquareMatrix matrix(3);
        for (size_t k = 0; k < quarter; ++k) {
            const std::array<double, 3> row{1.0, blocks[k].x, blocks[k].y};
            // The darkest of many blocks are darker than the background because of their own noise.
            const double value = blocks[k].mean - kMeanOfQuarter * found.noise /
                                                      std::sqrt(std::max(1.0, blocks[k].pixels));
            for (size_t a = 0; a < 3; ++a) {
                right[a] += row[a] * value;
                for (size_t b = 0; b <= a; ++b) matrix(a, b) += row[a] * row[b];
            }
        }
        // Blocks in one row do not determine the slope across it.
        for (size_t a = 0; a < 3; ++a) matrix(a, a) += kRegular;
        const std::vector<double> plane =
            factorise(std::move(matrix), "sums of squares are positive definite")
                .solve({right[0], right[1], right[2]});
        const double most = kLargestSlope * std::max(0.0, plane[0]);
        found.level = plane[0];
        found.slope = {std::clamp(plane[1], -most, most), std::clamp(plane[2], -most, most)};
        if (std::abs(found.level - before.level) < 1e-9 &&
            std::abs(found.slope[0] - before.slope[0]) < 1e-9 &&
            std::abs(found.slope[1] - before.slope[1]) < 1e-9)
            break;
    }
    return found;
}

void subtract_background(FluxMap& picture) {
    const PictureBackground found = find_background(picture);
    for (int64_t row = 0; row < picture.height; ++row) {
        const double y =
            1.0 - (2.0 * static_cast<double>(row) + 1.0) / static_cast<double>(picture.height);
        for (int64_t column = 0; column < picture.width; ++column) {
            const double x =
                (2.0 * static_cast<double>(column) + 1.0) / static_cast<double>(picture.width) -
                1.0;
            picture.values[static_cast<size_t>(row * picture.width + column)] -=
                found.level + found.slope[0] * x + found.slope[1] * y;
        }
    }
    picture.noise = found.noise;
}

}  // namespace helioray::reconstruction
