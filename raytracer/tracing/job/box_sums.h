// SPDX-License-Identifier: MIT
// Means over rectangles of a map.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace helioray {

/// Size of a rectangle of pixels.
struct BoxSize {
    std::int64_t width = 1;
    std::int64_t height = 1;

    double pixels() const { return static_cast<double>(width * height); }
    bool operator==(const BoxSize&) const = default;
};

/// Rectangle of pixels with the row and column of its first pixel.
struct Box {
    std::int64_t row = 0;
    std::int64_t column = 0;
    BoxSize size;
};

/// Returns the box of another size with the same centre, to within half a pixel.
inline Box resized(const Box& box, const BoxSize& size) {
    return {box.row + (box.size.height - size.height) / 2,
            box.column + (box.size.width - size.width) / 2,
            size};
}

/// Sums over rectangles of a map, which cost four numbers each (a summed-area table).
class BoxSums {
  public:
    /// `value` returns the value of a pixel from its index in row-major order.
    template <typename Value>
    BoxSums(std::int64_t width, std::int64_t height, Value value)
        : width_(width),
          height_(height),
          sums_(static_cast<std::size_t>((width + 1) * (height + 1)), 0.0) {
        for (std::int64_t row = 0; row < height; ++row) {
            double row_sum = 0.0;
            for (std::int64_t column = 0; column < width; ++column) {
                row_sum += value(static_cast<std::size_t>(row * width + column));
                sums_[index(row + 1, column + 1)] = sums_[index(row, column + 1)] + row_sum;
            }
        }
    }

    /// Returns the mean over the part of the box inside the map. The box must overlap the map.
    double mean(const Box& box) const {
        const std::int64_t top = std::max<std::int64_t>(0, box.row);
        const std::int64_t left = std::max<std::int64_t>(0, box.column);
        const std::int64_t bottom = std::min(height_, box.row + box.size.height);
        const std::int64_t right = std::min(width_, box.column + box.size.width);
        return mean(top, left, bottom, right);
    }

    /// Returns the mean over a box that lies inside the map.
    double mean_inside(const Box& box) const {
        return mean(box.row, box.column, box.row + box.size.height, box.column + box.size.width);
    }

    /// Returns the sum over the whole map.
    double total() const { return sums_.back(); }

    /// Calls `visit` with boxes of a size that lie inside the map and cover all of it. Neighbouring
    /// boxes are a fraction 1 / `steps` of the box's sides apart, less before the last edges.
    template <typename Visit>
    void visit_boxes(const BoxSize& size, std::int64_t steps, Visit visit) const {
        visit_starts(height_ - size.height, size.height / steps, [&](std::int64_t row) {
            visit_starts(width_ - size.width, size.width / steps, [&](std::int64_t column) {
                visit(Box{row, column, size});
            });
        });
    }

  private:
    double mean(std::int64_t top,
                std::int64_t left,
                std::int64_t bottom,
                std::int64_t right) const {
        const double sum = sums_[index(bottom, right)] - sums_[index(top, right)] -
                           sums_[index(bottom, left)] + sums_[index(top, left)];
        return sum / static_cast<double>((bottom - top) * (right - left));
    }

    /// Calls `visit` with 0, step, 2 step, ... and `last`.
    template <typename Visit>
    static void visit_starts(std::int64_t last, std::int64_t step, const Visit& visit) {
        for (std::int64_t start = 0; start < last; start += std::max<std::int64_t>(1, step))
            visit(start);
        if (last >= 0) visit(last);
    }

    std::size_t index(std::int64_t row, std::int64_t column) const {
        return static_cast<std::size_t>(row * (width_ + 1) + column);
    }

    std::int64_t width_;
    std::int64_t height_;
    std::vector<double> sums_;
};

}  // namespace helioray
