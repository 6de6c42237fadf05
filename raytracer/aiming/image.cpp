// SPDX-License-Identifier: MIT
// Images that move with their aim points.
#include "raytracer/aiming/image.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace helioray::aiming {

namespace {

/// Light of a column that is not worth bins of its own, as a share of the image's.
constexpr double kFaint = 2e-5;
/// Edges of cells down a receiver, the first and the last one too.
constexpr size_t kMostEdges = kMostCells + 1;

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

int divide_down(int a, int b) {
    return a >= 0 ? a / b : -((b - 1 - a) / b);
}

int pad_of(const ReceiverGrid& grid) {
    return grid.bins + 3;
}

/// The rows of cells that bins [first, last] touch: [low, high).
struct Rows {
    int low, high;
};
Rows rows_of(const ReceiverGrid& grid, int first, int last) {
    return {std::max(0, divide_down(first, grid.bins)),
            std::min(grid.rows, divide_down(last, grid.bins) + 1)};
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

}  // namespace

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
        const int length = (rows + 2 * pad) / grid.bins + 1;
        const Column column{c - margin_across, first - margin_down, rows, length, sums_.size()};
        sums_.resize(sums_.size() + static_cast<size_t>(length) * static_cast<size_t>(grid.bins));
        float* sums = sums_.data() + column.begin;
        double sum = above;
        for (int i = 0; i < length * grid.bins; ++i) {
            const int row = first + i - pad - 1;
            if (row >= first && row <= last) sum += at(row, c) + (row == last ? below : 0.0);
            sums[i % grid.bins * length + i / grid.bins] =
                row < first ? 0.0f : static_cast<float>(sum);
        }
        columns_.push_back(column);
    }
}

/// Sums of a column above edges of cells, at three neighbouring shifts.
struct Image::Taps {
    const float* sums[3];

    /// top: bin of the receiver where the shifted column begins.
    Taps(const ReceiverGrid& grid, const Column& column, const float* all, int top) {
        for (int a = 0; a < 3; ++a) {
            const int first = pad_of(grid) - top - a;
            const int cell = divide_down(first, grid.bins);
            const auto list = static_cast<std::ptrdiff_t>(first - cell * grid.bins);
            sums[a] = all + column.begin + list * column.length + cell;
        }
    }
    /// By the lower edges of rows, weighted; [rows.low, rows.high] of `to`.
    void blend(const Rows& rows, const std::array<double, 3>& weight, double* to) const {
        const double w0 = weight[0], w1 = weight[1], w2 = weight[2];
        const float *s0 = sums[0], *s1 = sums[1], *s2 = sums[2];
        for (int row = rows.low; row <= rows.high; ++row)
            to[row] = w0 * static_cast<double>(s0[row]) + w1 * static_cast<double>(s1[row]) +
                      w2 * static_cast<double>(s2[row]);
    }
};

void Image::add(const ReceiverGrid& grid,
                SurfacePoint aim,
                double share,
                std::span<double> cells) const {
    const Spread down((aim_.y - aim.y) / grid.bin_height());
    const Spread across(grid.free_x ? (aim.x - aim_.x) / grid.bin_width() : 0.0);
    std::array<double, kMostEdges> above;
    for (const Column& column : columns_) {
        const int top = column.first_row + down.n;
        const Rows rows = rows_of(grid, top, top + column.rows + 1);
        if (rows.low >= rows.high) continue;
        Taps(grid, column, sums_.data(), top).blend(rows, down.weight, above.data());
        // Fixed columns keep their light; otherwise it goes to up to three bins across.
        for (size_t a = 0; a < (grid.free_x ? 3 : 1); ++a) {
            const int c =
                grid.free_x ? divide_down(column.index + across.n + static_cast<int>(a), grid.bins)
                            : column.index;
            if (c < 0 || c >= grid.columns) continue;
            const double part = grid.free_x ? share * across.weight[a] : share;
            double* cell = cells.data() + grid.cell(c, 0);
            for (int row = rows.low; row < rows.high; ++row) {
                const auto r = static_cast<size_t>(row);
                cell[row] += part * (above[r + 1] - above[r]);
            }
        }
    }
}

Image::Value Image::weighted(const ReceiverGrid& grid,
                             SurfacePoint aim,
                             std::span<const double> factors) const {
    const Spread down((aim_.y - aim.y) / grid.bin_height());
    const Spread across(grid.free_x ? (aim.x - aim_.x) / grid.bin_width() : 0.0);
    std::array<double, kMostEdges> above, slopes;
    Value result;
    for (const Column& column : columns_) {
        const int top = column.first_row + down.n;
        const Rows rows = rows_of(grid, top, top + column.rows + 1);
        if (rows.low >= rows.high) continue;
        const Taps taps(grid, column, sums_.data(), top);
        taps.blend(rows, down.weight, above.data());
        taps.blend(rows, down.slope, slopes.data());
        for (size_t a = 0; a < (grid.free_x ? 3 : 1); ++a) {
            const int c =
                grid.free_x ? divide_down(column.index + across.n + static_cast<int>(a), grid.bins)
                            : column.index;
            if (c < 0 || c >= grid.columns) continue;
            const double* factor = factors.data() + grid.cell(c, 0);
            double value = 0.0, slope = 0.0;
            for (int row = rows.low; row < rows.high; ++row) {
                const auto r = static_cast<size_t>(row);
                value += factor[row] * (above[r + 1] - above[r]);
                slope += factor[row] * (slopes[r + 1] - slopes[r]);
            }
            const double part = grid.free_x ? across.weight[a] : 1.0;
            result.value += part * value;
            result.dy += part * slope;
            if (grid.free_x) result.dx += across.slope[a] * value;
        }
    }
    result.dy /= -grid.bin_height();
    result.dx /= grid.bin_width();
    return result;
}

Image::Best Image::best(const ReceiverGrid& grid,
                        SurfacePoint low,
                        SurfacePoint high,
                        std::span<const double> factors) const {
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

    // From the last shift down to the first, so that sums are read forwards.
    std::vector<float> coefficients(static_cast<size_t>(num_across) * static_cast<size_t>(count));
    std::vector<float> jumps(static_cast<size_t>(grid.columns) *
                             static_cast<size_t>(grid.rows + 1));
    const auto jumps_of = [&](int column) {
        return jumps.data() + static_cast<size_t>(column) * static_cast<size_t>(grid.rows + 1);
    };
    for (int c = 0; c < grid.columns; ++c) {
        double previous = 0.0;
        for (int row = 0; row <= grid.rows; ++row) {
            const double next = row < grid.rows ? factors[grid.cell(c, row)] : 0.0;
            jumps_of(c)[row] = static_cast<float>(previous - next);
            previous = next;
        }
    }
    const int n_last = n_low + count - 1;
    std::vector<float> wide;
    for (const Column& column : columns_) {
        // Sums above all edges at all shifts: index 0 is edge 0 at the last shift.
        const int first = -n_last - column.first_row;
        const int size = grid.rows * grid.bins + count;
        wide.resize(static_cast<size_t>(size));
        const float* sums = sums_.data() + column.begin;
        for (int i = 0; i < size; ++i) {
            const int k = std::clamp(first + i, 0, column.rows) + pad_of(grid);
            wide[static_cast<size_t>(i)] = sums[k % grid.bins * column.length + k / grid.bins];
        }
        for (int m = 0; m < num_across; ++m) {
            const int c =
                grid.free_x ? divide_down(column.index + m_low + m, grid.bins) : column.index;
            if (c < 0 || c >= grid.columns) continue;
            const float* jump = jumps_of(c);
            float* to = coefficients.data() + static_cast<size_t>(m) * static_cast<size_t>(count);
            for (int row = 0; row <= grid.rows; ++row) {
                const float u = jump[row];
                if (u == 0.0f) continue;
                const std::ptrdiff_t edge = row * static_cast<std::ptrdiff_t>(grid.bins);
                const float* from = wide.data() + edge;
                // Nothing is above the edges that come before the column.
                for (auto i = std::max<std::ptrdiff_t>(0, 1 - first - edge); i < count; ++i)
                    to[i] += u * from[i];
            }
        }
    }

    const auto coefficient = [&](int m, int n) {
        return static_cast<double>(
            coefficients[static_cast<size_t>(m) * static_cast<size_t>(count) +
                         static_cast<size_t>(count - 1 - n)]);
    };
    Best best;
    if (!grid.free_x) {
        best.value = -1e300;
        double at = down_low;
        for (int n = 0; n + 2 < count; ++n) {
            const double a0 = coefficient(0, n), a1 = coefficient(0, n + 1),
                         a2 = coefficient(0, n + 2);
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
