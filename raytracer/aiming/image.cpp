// SPDX-License-Identifier: MIT
// Images that move with their aim points.
#include "raytracer/aiming/image.h"

#include "kernels/core/column_sums.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <numeric>

namespace helioray::aiming {

namespace {

/// Light at either end of a column that is not worth bins of its own, as a share of the image's.
/// With ten times as much the aim points of 10,000 heliostats take a tenth less time, and fields of
/// 300 fall 1e-4 behind the linear programme.
constexpr double kFaint = 2e-5;
/// Where a bin's light goes after a shift by s bins: to the bins n, n + 1, n + 2 further on.
struct Spread {
    int n;
    std::array<double, 3> weight;
    std::array<double, 3> slope;  ///< derivatives of the weights with respect to s

    explicit Spread(double s) {
        const double first = std::floor(s - 0.5);
        const double f = s - 0.5 - first;
        n = static_cast<int>(first);
        weight = {0.5 * (1.0 - f) * (1.0 - f), 0.5 + f * (1.0 - f), 0.5 * f * f};
        slope = {f - 1.0, 1.0 - 2.0 * f, f};
    }
};

/// a / grid.bins, rounded down: bins are a power of two, and a division takes many cycles.
int cell_of(const ReceiverGrid& grid, int a) {
    return a >> std::countr_zero(static_cast<unsigned>(grid.bins));
}

/// What cell_of() leaves.
int bin_of(const ReceiverGrid& grid, int a) {
    return a & (grid.bins - 1);
}

int pad_of(const ReceiverGrid& grid) {
    return grid.bins + 3;
}

/// The rows of cells that bins [first, last] touch: [low, high).
struct Rows {
    int low, high;
};
Rows rows_of(const ReceiverGrid& grid, int first, int last) {
    return {std::max(0, cell_of(grid, first)), std::min(grid.rows, cell_of(grid, last) + 1)};
}

/// Values of a piecewise biquadratic function between lattice points, by its B-spline coefficients.
using Patch = std::array<std::array<double, 3>, 3>;  // [across][down]

double corner(const Patch& p, int x, int y) {
    return 0.25 * (p[x][y] + p[x][y + 1] + p[x + 1][y] + p[x + 1][y + 1]);
}

double largest(const Patch& p) {
    // The coefficients as a Bezier net: a patch lies within their convex hull.
    double most = p[1][1];
    for (int i = 0; i < 2; ++i) {
        most = std::max(most, 0.5 * (p[1][i] + p[1][i + 1]));
        most = std::max(most, 0.5 * (p[i][1] + p[i + 1][1]));
        for (int j = 0; j < 2; ++j) most = std::max(most, corner(p, i, j));
    }
    return most;
}

/// Coefficients of one quarter of the patch (Chaikin's corner cutting).
Patch quarter(const Patch& p, int x, int y) {
    const auto cut = [](const std::array<double, 3>& a, int half) -> std::array<double, 3> {
        if (half == 0)
            return {
                0.75 * a[0] + 0.25 * a[1], 0.25 * a[0] + 0.75 * a[1], 0.75 * a[1] + 0.25 * a[2]};
        return {0.25 * a[0] + 0.75 * a[1], 0.75 * a[1] + 0.25 * a[2], 0.25 * a[1] + 0.75 * a[2]};
    };
    Patch by_rows;
    for (size_t i = 0; i < 3; ++i) by_rows[i] = cut(p[i], y);
    Patch result;
    for (size_t j = 0; j < 3; ++j) {
        const auto column = cut({by_rows[0][j], by_rows[1][j], by_rows[2][j]}, x);
        for (size_t i = 0; i < 3; ++i) result[i][j] = column[i];
    }
    return result;
}

/// Searches the maximum of patches. Its bound is at most `tolerance` above a value that is taken.
struct PatchSearch {
    double tolerance;
    double value = -1e300;    ///< the best that is known to be taken,
    double x = 0.0, y = 0.0;  ///< here
    double bound = -1e300;    ///< no value exceeds it

    void search(const Patch& patch, double left, double top, double size) {
        for (int i = 0; i < 2; ++i) {
            for (int j = 0; j < 2; ++j) {
                const double taken = corner(patch, i, j);
                if (taken <= value) continue;
                value = taken;
                x = left + i * size;
                y = top + j * size;
            }
        }
        const double most = largest(patch);
        if (most <= std::max(value + tolerance, bound) || size < 1.0 / 64.0) {
            bound = std::max(bound, most);
            return;
        }
        for (int i = 0; i < 2; ++i)
            for (int j = 0; j < 2; ++j)
                search(
                    quarter(patch, i, j), left + 0.5 * i * size, top + 0.5 * j * size, 0.5 * size);
    }
};

/// Of this processor.
const kernels::ColumnSums& sums_of_columns() {
    static const kernels::ColumnSums sums = kernels::column_sums();
    return sums;
}

/// A multiple of `step` that is at least n.
size_t rounded_up(size_t n, size_t step) {
    return (n + step - 1) / step * step;
}

}  // namespace

CellFactors::CellFactors(const ReceiverGrid& grid, std::span<const double> factors)
    : cells(factors.begin(), factors.end()) {
    jumps.reserve(cells.size() + static_cast<size_t>(grid.columns));
    for (int column = 0; column < grid.columns; ++column) {
        double above = 0.0;
        for (int row = 0; row < grid.rows; ++row) {
            const double below = factors[grid.cell(column, row)];
            jumps.push_back(above - below);
            above = below;
        }
        jumps.push_back(above);
    }
    single_jumps.assign(jumps.begin(), jumps.end());
    jumps.resize(jumps.size() + kernels::kColumnLanes, 0.0);
}

Image::Image(const ReceiverGrid& grid,
             SurfacePoint aim,
             int bitmap_width,
             int first_row,
             int last_row,
             std::span<const double> watts)
    : aim_(aim) {
    const auto at = [&](int row, int column) {
        return watts[static_cast<size_t>(row) * static_cast<size_t>(bitmap_width) +
                     static_cast<size_t>(column)];
    };
    const int margin_down = grid.margin * grid.bins;
    const int margin_across = grid.margin_across * grid.bins;
    std::vector<double> of_column(static_cast<size_t>(bitmap_width), 0.0);
    double mean_x = 0.0, mean_y = 0.0, square_x = 0.0, square_y = 0.0;
    for (int row = first_row; row <= last_row; ++row) {
        for (int column = 0; column < bitmap_width; ++column) {
            const double power = at(row, column);
            if (power == 0.0) continue;
            of_column[static_cast<size_t>(column)] += power;
            const double x = column + 0.5, y = row + 0.5;
            mean_x += power * x;
            mean_y += power * y;
            square_x += power * x * x;
            square_y += power * y * y;
            power_ += power;
        }
    }
    if (power_ <= 0.0) return;
    mean_x /= power_;
    mean_y /= power_;
    spread_.y = std::sqrt(std::max(0.0, square_y / power_ - mean_y * mean_y)) * grid.bin_height();
    offset_.y = 0.5 * grid.height - (mean_y - margin_down) * grid.bin_height() - aim.y;
    if (grid.free_x) {
        spread_.x =
            std::sqrt(std::max(0.0, square_x / power_ - mean_x * mean_x)) * grid.bin_width();
        offset_.x = (mean_x - margin_across) * grid.bin_width() - 0.5 * grid.width - aim.x;
    }

    const int pad = pad_of(grid);
    for (int c = 0; c < bitmap_width; ++c) {
        const double total = of_column[static_cast<size_t>(c)];
        if (total <= 0.0) continue;
        // Faint light far up and down joins the outermost rows that are kept.
        int first = first_row, last = last_row;
        double above = 0.0, below = 0.0;
        while (first < last && above + at(first, c) <= kFaint * power_) above += at(first++, c);
        while (last > first && below + at(last, c) <= kFaint * power_) below += at(last--, c);
        const int rows = last - first + 1;
        columns_.push_back({c - margin_across,
                            first - margin_down,
                            rows,
                            total / kernels::kLightSteps,
                            sums_.size()});
        const Column& column = columns_.back();
        const size_t length = length_of(grid, column);
        sums_.resize(column.begin + length * static_cast<size_t>(grid.bins));
        double sum = above;
        for (int i = 0; i < static_cast<int>(length) * grid.bins; ++i) {
            const int row = first + i - pad - 1;
            if (row >= first && row <= last) sum += at(row, c) + (row == last ? below : 0.0);
            const double share = row < first ? 0.0 : row < last ? std::min(sum / total, 1.0) : 1.0;
            sums_[column.begin + static_cast<size_t>(bin_of(grid, i)) * length +
                  static_cast<size_t>(cell_of(grid, i))] =
                static_cast<uint16_t>(std::lround(share * kernels::kLightSteps));
        }
    }
    sums_.resize(sums_.size() + kernels::kColumnLanes);
}

size_t Image::length_of(const ReceiverGrid& grid, const Column& column) {
    return static_cast<size_t>(cell_of(grid, column.rows + 2 * pad_of(grid) + grid.bins - 1));
}

kernels::ColumnTaps Image::taps(const ReceiverGrid& grid,
                                const Column& column,
                                int top,
                                int row) const {
    const size_t length = length_of(grid, column);
    const int first = pad_of(grid) - top - 2 + row * grid.bins;
    kernels::ColumnTaps taps;
    for (int k = 0; k < 3; ++k)
        taps.tap[k] = sums_.data() + column.begin +
                      static_cast<size_t>(bin_of(grid, first + k)) * length +
                      static_cast<size_t>(cell_of(grid, first + k));
    return taps;
}

void Image::prefetch() const {
    constexpr size_t kSumsOfLine = 32;
    for (size_t i = 0; i < sums_.size(); i += kSumsOfLine) __builtin_prefetch(sums_.data() + i);
}

void Image::add(const ReceiverGrid& grid,
                SurfacePoint aim,
                double share,
                std::span<double> cells) const {
    const kernels::ColumnSums& sums = sums_of_columns();
    const Spread down((aim_.y - aim.y) / grid.bin_height());
    const Spread across(grid.free_x ? (aim.x - aim_.x) / grid.bin_width() : 0.0);
    for (const Column& column : columns_) {
        const int top = column.first_row + down.n;
        const Rows rows = rows_of(grid, top, top + column.rows + 1);
        if (rows.low >= rows.high) continue;
        const kernels::ColumnTaps three = taps(grid, column, top, rows.low);
        // Fixed columns keep their light; otherwise it goes to up to three bins across.
        for (size_t a = 0; a < (grid.free_x ? 3 : 1); ++a) {
            const int c = grid.free_x ? cell_of(grid, column.index + across.n + static_cast<int>(a))
                                      : column.index;
            if (c < 0 || c >= grid.columns) continue;
            const double part = column.step * (grid.free_x ? share * across.weight[a] : share);
            const std::array<double, 3> weights{
                part * down.weight[2], part * down.weight[1], part * down.weight[0]};
            sums.add(
                three, weights.data(), rows.high - rows.low, cells.data() + grid.cell(c, rows.low));
        }
    }
}

Image::Value Image::weighted(const ReceiverGrid& grid,
                             SurfacePoint aim,
                             const CellFactors& factors) const {
    const kernels::ColumnSums& sums = sums_of_columns();
    const Spread down((aim_.y - aim.y) / grid.bin_height());
    const Spread across(grid.free_x ? (aim.x - aim_.x) / grid.bin_width() : 0.0);
    Value result;
    // Of each shift, from the farthest on.
    std::array<double, size_t{3} * kernels::kColumnLanes> parts{};
    const auto take = [&](double weight, double slope_across) {
        double value = 0.0, slope = 0.0;
        for (size_t k = 0; k < 3; ++k) {
            const double* part = parts.data() + (2 - k) * kernels::kColumnLanes;
            const double sum = std::accumulate(part, part + kernels::kColumnLanes, 0.0);
            value += down.weight[k] * sum;
            slope += down.slope[k] * sum;
        }
        result.value += weight * value;
        result.dy += weight * slope;
        result.dx += slope_across * value;
        parts.fill(0.0);
    };
    for (const Column& column : columns_) {
        const int top = column.first_row + down.n;
        const Rows rows = rows_of(grid, top, top + column.rows + 1);
        if (rows.low >= rows.high) continue;
        const kernels::ColumnTaps three = taps(grid, column, top, rows.low);
        // A sum by parts over the edges between cells, for each shift: nothing is above the first
        // one but on the receiver's edge.
        const auto add_column = [&](int c) {
            sums.dot(three,
                     factors.jumps.data() + grid.cell(c, rows.low) + c,
                     factors.cells[grid.cell(c, rows.high - 1)],
                     rows.high - rows.low + 1,
                     column.step,
                     parts.data());
        };
        if (!grid.free_x) {
            add_column(column.index);
            continue;
        }
        // The bins of a cell across have the same factors.
        for (int a = 0; a < 3;) {
            const int c = cell_of(grid, column.index + across.n + a);
            double weight = 0.0, slope = 0.0;
            for (; a < 3 && cell_of(grid, column.index + across.n + a) == c; ++a) {
                weight += across.weight[static_cast<size_t>(a)];
                slope += across.slope[static_cast<size_t>(a)];
            }
            if (c < 0 || c >= grid.columns) continue;
            add_column(c);
            take(weight, slope);
        }
    }
    if (!grid.free_x) take(1.0, 0.0);
    result.dy /= -grid.bin_height();
    result.dx /= grid.bin_width();
    return result;
}

Image::Best Image::best(const ReceiverGrid& grid,
                        SurfacePoint low,
                        SurfacePoint high,
                        const CellFactors& factors) const {
    // Shifts down and across in bins; the function is a quadratic spline of the shift, with a
    // coefficient for each whole shift.
    const double down_low = (aim_.y - high.y) / grid.bin_height();
    const double down_high = (aim_.y - low.y) / grid.bin_height();
    const double across_low = grid.free_x ? (low.x - aim_.x) / grid.bin_width() : 0.0;
    const double across_high = grid.free_x ? (high.x - aim_.x) / grid.bin_width() : 0.0;
    const int n_low = static_cast<int>(std::floor(down_low - 0.5));
    const int count = static_cast<int>(std::floor(down_high - 0.5)) + 3 - n_low;
    const int m_low = grid.free_x ? static_cast<int>(std::floor(across_low - 0.5)) : 0;
    const int num_across =
        grid.free_x ? static_cast<int>(std::floor(across_high - 0.5)) + 3 - m_low : 1;

    // From the last shift down to the first, so that sums are read forwards; apart by their place
    // in a cell, as the sums of columns are.
    const kernels::ColumnSums& sums_of = sums_of_columns();
    const int shifts = cell_of(grid, count + grid.bins - 1);
    const size_t stride = rounded_up(static_cast<size_t>(shifts), size_t{2} * kernels::kCorrelated);
    const auto bins = static_cast<size_t>(grid.bins);
    std::vector<float> coefficients(static_cast<size_t>(num_across) * bins * stride, 0.0f);
    // Light of a column above the edges at each shift.
    std::vector<float> light(static_cast<size_t>(grid.rows) + 1 + stride);
    const int n_last = n_low + count - 1;
    for (const Column& column : columns_) {
        const auto length = static_cast<int>(length_of(grid, column));
        const auto step = static_cast<float>(column.step);
        for (size_t b = 0; b < bins; ++b) {
            // Edge 0 at the last shift.
            const int first = pad_of(grid) - n_last - column.first_row + static_cast<int>(b);
            const uint16_t* from =
                sums_.data() + column.begin + static_cast<size_t>(bin_of(grid, first) * length);
            // Nothing is above edges that come before the column, everything above those after it.
            const int begin = cell_of(grid, first), size = static_cast<int>(light.size());
            const int none = std::clamp(-begin, 0, size);
            const int some = std::clamp(length - begin, none, size);
            std::fill_n(light.data(), none, 0.0f);
            for (int i = none; i < some; ++i)
                light[static_cast<size_t>(i)] = step * static_cast<float>(from[begin + i]);
            std::fill(light.begin() + some, light.end(), step * kernels::kLightSteps);
            for (int m = 0; m < num_across; ++m) {
                const int c = grid.free_x ? cell_of(grid, column.index + m_low + m) : column.index;
                if (c < 0 || c >= grid.columns) continue;
                sums_of.correlate(
                    light.data(),
                    factors.single_jumps.data() + grid.cell(c, 0) + c,
                    grid.rows + 1,
                    shifts,
                    coefficients.data() + (static_cast<size_t>(m) * bins + b) * stride);
            }
        }
    }

    const auto coefficient = [&](int m, int n) {
        const int i = count - 1 - n;
        return static_cast<double>(
            coefficients[(static_cast<size_t>(m) * bins + static_cast<size_t>(bin_of(grid, i))) *
                             stride +
                         static_cast<size_t>(cell_of(grid, i))]);
    };
    Best best;
    if (!grid.free_x) {
        best.value = -1e300;
        double at = down_low;
        for (int n = 0; n + 2 < count; ++n) {
            const double a0 = coefficient(0, n), a1 = coefficient(0, n + 1),
                         a2 = coefficient(0, n + 2);
            // A piece lies below the highest point of its Bezier polygon.
            if (std::max({0.5 * (a0 + a1), a1, 0.5 * (a1 + a2)}) <= best.value) continue;
            const double begin = n_low + n + 0.5;
            const double from = std::max(0.0, down_low - begin);
            const double to = std::max(from, std::min(1.0, down_high - begin));
            const auto value = [&](double f) {
                return 0.5 * (1 - f) * (1 - f) * a0 + (0.5 + f * (1 - f)) * a1 + 0.5 * f * f * a2;
            };
            const auto take = [&](double f) {
                if (value(f) <= best.value) return;
                best.value = value(f);
                at = begin + f;
            };
            take(from);
            take(to);
            const double bend = a0 - 2.0 * a1 + a2;
            if (bend < 0.0) take(std::clamp((a0 - a1) / bend, from, to));
        }
        best.bound = best.value;
        best.aim = {aim_.x, std::clamp(aim_.y - at * grid.bin_height(), low.y, high.y)};
        return best;
    }
    PatchSearch search{1e-4 * power_};
    for (int m = 0; m + 2 < num_across; ++m) {
        for (int n = 0; n + 2 < count; ++n) {
            Patch patch;
            for (int i = 0; i < 3; ++i)
                for (int j = 0; j < 3; ++j)
                    patch[static_cast<size_t>(i)][static_cast<size_t>(j)] =
                        coefficient(m + i, n + j);
            search.search(patch, m_low + m + 0.5, n_low + n + 0.5, 1.0);
        }
    }
    best.bound = search.bound;
    best.aim = {std::clamp(aim_.x + search.x * grid.bin_width(), low.x, high.x),
                std::clamp(aim_.y - search.y * grid.bin_height(), low.y, high.y)};
    best.value = weighted(grid, best.aim, factors).value;
    return best;
}

}  // namespace helioray::aiming
