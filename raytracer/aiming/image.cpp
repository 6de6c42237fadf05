// SPDX-License-Identifier: MIT
// Images that move with their aim points.
#include "raytracer/aiming/image.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>

namespace helioray::aiming {

namespace {

/// Light at either end of a column that is not worth bins of its own, as a share of the image's.
/// With ten times as much the aim points of 10,000 heliostats take a tenth less time, and fields of
/// 300 fall 1e-4 behind the linear programme.
constexpr double kFaint = 2e-5;
/// Edges of cells down a receiver and its shield, the first and the last one too.
constexpr size_t kMostEdges = kMostCells + 2 * kMostCellsBeyond + 1;

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

/// Four sums at once. Sums of floats would leave the optimiser's function less smooth than its last
/// steps are long.
using Four = double __attribute__((vector_size(32)));
inline void add_times(Four& sum, double factor, const float* from) {
    float __attribute__((vector_size(16))) four;
    std::memcpy(&four, from, sizeof four);
    sum += factor * __builtin_convertvector(four, Four);
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
        const int length = rows + 2 * pad;
        columns_.push_back({c - margin_across, first - margin_down, rows, sums_.size()});
        double sum = above;
        for (int i = 0; i < length; ++i) {
            const int row = first + i - pad - 1;
            if (row >= first && row <= last) sum += at(row, c) + (row == last ? below : 0.0);
            sums_.push_back(row < first ? 0.0f : static_cast<float>(sum));
        }
    }
}

/// Where the sums of a column begin that belong to the receiver's edges, every grid.bins-th one: of
/// the farthest of three neighbouring shifts, then of the two others. top: bin of the receiver
/// where the shifted column begins.
const float* Image::taps(const ReceiverGrid& grid, const Column& column, int top) const {
    return sums_.data() + (static_cast<std::ptrdiff_t>(column.begin) + pad_of(grid) - top - 2);
}

void Image::prefetch() const {
    constexpr size_t kFloatsOfLine = 16;
    for (size_t i = 0; i < sums_.size(); i += kFloatsOfLine) __builtin_prefetch(sums_.data() + i);
}

void Image::add(const ReceiverGrid& grid,
                SurfacePoint aim,
                double share,
                std::span<double> cells) const {
    const Spread down((aim_.y - aim.y) / grid.bin_height());
    const Spread across(grid.free_x ? (aim.x - aim_.x) / grid.bin_width() : 0.0);
    const auto [w0, w1, w2] = down.weight;
    std::array<double, kMostEdges> above;
    for (const Column& column : columns_) {
        const int top = column.first_row + down.n;
        const Rows rows = rows_of(grid, top, top + column.rows + 1);
        if (rows.low >= rows.high) continue;
        const float* from = taps(grid, column, top) + std::ptrdiff_t{rows.low} * grid.bins;
        for (int row = rows.low; row <= rows.high; ++row, from += grid.bins)
            above[static_cast<size_t>(row)] = w2 * static_cast<double>(from[0]) +
                                              w1 * static_cast<double>(from[1]) +
                                              w0 * static_cast<double>(from[2]);
        // Fixed columns keep their light; otherwise it goes to up to three bins across.
        for (size_t a = 0; a < (grid.free_x ? 3 : 1); ++a) {
            const int c = grid.free_x ? cell_of(grid, column.index + across.n + static_cast<int>(a))
                                      : column.index;
            if (c < 0 || c >= grid.columns) continue;
            const double part = grid.free_x ? share * across.weight[a] : share;
            double* __restrict cell = cells.data() + grid.cell(c, 0);
            const double* edge = above.data();
            for (int row = rows.low; row < rows.high; ++row)
                cell[row] += part * (edge[row + 1] - edge[row]);
        }
    }
}

Image::Value Image::weighted(const ReceiverGrid& grid,
                             SurfacePoint aim,
                             const CellFactors& factors) const {
    const Spread down((aim_.y - aim.y) / grid.bin_height());
    const Spread across(grid.free_x ? (aim.x - aim_.x) / grid.bin_width() : 0.0);
    Value result;
    for (const Column& column : columns_) {
        const int top = column.first_row + down.n;
        const Rows rows = rows_of(grid, top, top + column.rows + 1);
        if (rows.low >= rows.high) continue;
        const float* from = taps(grid, column, top);
        int last = -1;
        double value = 0.0, slope = 0.0;
        for (size_t a = 0; a < (grid.free_x ? 3 : 1); ++a) {
            const int c = grid.free_x ? cell_of(grid, column.index + across.n + static_cast<int>(a))
                                      : column.index;
            if (c < 0 || c >= grid.columns) continue;
            if (c != last) {
                // A sum by parts over the edges between cells, for each shift: nothing is above
                // the first one but on the receiver's edge.
                const double* jump = factors.jumps.data() + grid.cell(c, 0) + c;
                const float* edge = from + std::ptrdiff_t{rows.low} * grid.bins;
                Four even{}, odd{};
                int row = rows.low;
                for (; row + 2 <= rows.high; row += 2, edge += std::ptrdiff_t{2} * grid.bins) {
                    add_times(even, jump[row], edge);
                    add_times(odd, jump[row + 1], edge + grid.bins);
                }
                if (row < rows.high) {
                    add_times(even, jump[row], edge);
                    edge += grid.bins;
                }
                add_times(even, factors.cells[grid.cell(c, rows.high - 1)], edge);
                const Four sums = even + odd;
                value = slope = 0.0;
                for (size_t k = 0; k < 3; ++k) {
                    value += down.weight[k] * sums[2 - k];
                    slope += down.slope[k] * sums[2 - k];
                }
                last = c;
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

    // From the last shift down to the first, so that sums are read forwards.
    std::vector<float> coefficients(static_cast<size_t>(num_across) * static_cast<size_t>(count));
    const int n_last = n_low + count - 1;
    // What is added from a shift on because all light of a column is above an edge.
    std::vector<double> whole(coefficients.size() + 1, 0.0);
    for (const Column& column : columns_) {
        // Edge 0 at the last shift.
        const int first = -n_last - column.first_row;
        const float* sums = sums_.data() + column.begin + pad_of(grid);
        const auto total = static_cast<double>(sums[column.rows]);
        for (int m = 0; m < num_across; ++m) {
            const int c = grid.free_x ? cell_of(grid, column.index + m_low + m) : column.index;
            if (c < 0 || c >= grid.columns) continue;
            const double* jump = factors.jumps.data() + grid.cell(c, 0) + c;
            const auto begin = static_cast<size_t>(m) * static_cast<size_t>(count);
            float* __restrict to = coefficients.data() + begin;
            for (int row = 0; row <= grid.rows; ++row) {
                const auto u = static_cast<float>(jump[row]);
                if (u == 0.0f) continue;
                // Nothing is above edges that come before the column.
                const int edge = first + row * grid.bins;
                const int last = std::clamp(column.rows - edge, 0, count);
                for (int i = std::max(0, 1 - edge); i < last; ++i) to[i] += u * sums[edge + i];
                if (last < count) whole[begin + static_cast<size_t>(last)] += jump[row] * total;
            }
        }
    }
    for (int m = 0; m < num_across; ++m) {
        double sum = 0.0;
        for (int i = 0; i < count; ++i) {
            const auto at =
                static_cast<size_t>(m) * static_cast<size_t>(count) + static_cast<size_t>(i);
            sum += whole[at];
            coefficients[at] += static_cast<float>(sum);
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
