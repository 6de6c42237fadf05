// SPDX-License-Identifier: MIT
// Computes the flux of images that move with their aim points.
#include "raytracer/solvers/aiming/model/image.h"

#include "raytracer/solvers/aiming/model/column_places.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <numeric>

namespace helioray::aiming {

namespace {

/// Light at either end of a column that is merged into the outermost bins, as a fraction of the
/// image's light. With ten times as much the aim points of 10,000 heliostats take a tenth less
/// time, and fields of 300 fall 1e-4 behind the linear programme.
constexpr double kFaint = 2e-5;
/// Distribution of a bin's light after a shift by s bins: to the bins n, n + 1, n + 2 further on.
struct Spread {
    int n;
    std::array<double, 3> weight;
    std::array<double, 3> slope;  ///< Derivatives of the weights with respect to s

    explicit Spread(double s) {
        const double first = std::floor(s - 0.5);
        const double f = s - 0.5 - first;
        n = static_cast<int>(first);
        weight = {0.5 * (1.0 - f) * (1.0 - f), 0.5 + f * (1.0 - f), 0.5 * f * f};
        slope = {f - 1.0, 1.0 - 2.0 * f, f};
    }
};

/// Rows of cells that bins [first, last] touch: [low, high).
struct Rows {
    int low, high;
};
Rows select_rows(const ReceiverGrid& grid, int first, int last) {
    return {std::max(0, cell_of(grid, first)), std::min(grid.rows, cell_of(grid, last) + 1)};
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
             std::span<const double> watts) {
    views_.emplace_back().aim = aim;
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
        // Add faint light far up and down to the outermost stored rows.
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
    views_.back().end = columns_.size();
}

Image Image::blend(std::vector<Image> images, int across, int up) {
    Image result;
    const size_t middle =
        static_cast<size_t>(up / 2) * static_cast<size_t>(across) + static_cast<size_t>(across / 2);
    result.spread_ = images[middle].spread_;
    result.offset_ = images[middle].offset_;
    for (size_t i = 0; i < images.size(); ++i) {
        const Image& own = images[i];
        if (own.views_.empty()) continue;
        View view = own.views_.front();
        const size_t column = i % static_cast<size_t>(across),
                     row = i / static_cast<size_t>(across);
        const auto neighbour = [&](size_t k, double usual, double SurfacePoint::*of) {
            return images[k].views_.empty() ? usual : images[k].views_.front().aim.*of;
        };
        if (column > 0) view.low.x = neighbour(i - 1, view.low.x, &SurfacePoint::x);
        if (column + 1 < static_cast<size_t>(across))
            view.high.x = neighbour(i + 1, view.high.x, &SurfacePoint::x);
        if (row > 0)
            view.low.y = neighbour(i - static_cast<size_t>(across), view.low.y, &SurfacePoint::y);
        if (row + 1 < static_cast<size_t>(up))
            view.high.y = neighbour(i + static_cast<size_t>(across), view.high.y, &SurfacePoint::y);
        view.begin = result.columns_.size();
        for (Column added : own.columns_) {
            added.begin += result.sums_.size();
            result.columns_.push_back(added);
        }
        view.end = result.columns_.size();
        result.sums_.insert(result.sums_.end(), own.sums_.begin(), own.sums_.end());
        result.power_ = std::max(result.power_, own.power_);
        result.views_.push_back(view);
    }
    return result;
}

double Image::View::weight(SurfacePoint at) const {
    const auto hat = [](double t, double from, double middle, double to) {
        if (t < middle) return std::isinf(from) ? 1.0 : std::max(0.0, (t - from) / (middle - from));
        return std::isinf(to) ? 1.0 : std::max(0.0, (to - t) / (to - middle));
    };
    return hat(at.x, low.x, aim.x, high.x) * hat(at.y, low.y, aim.y, high.y) *
           factor.at(at.x - aim.x, at.y - aim.y);
}

Image::NodeWeights Image::weights(const ReceiverGrid& grid,
                                  const View& view,
                                  int across,
                                  int down) {
    NodeWeights result;
    for (int a = 0; a < (grid.free_x ? 3 : 1); ++a) {
        for (int k = 0; k < 3; ++k) {
            const double weight =
                view.weight({view.aim.x + (grid.free_x ? (across + a) * grid.bin_width() : 0.0),
                             view.aim.y - (down + k) * grid.bin_height()});
            result.at[static_cast<size_t>(a)][static_cast<size_t>(k)] = weight;
            result.any = result.any || weight > 0.0;
        }
    }
    return result;
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
    if (lattice_) {
        lattice_->add(aim, share, cells);
        return;
    }
    const kernels::ColumnSums& sums = sums_of_columns();
    for (const View& view : views_) {
        const Spread down((view.aim.y - aim.y) / grid.bin_height());
        const Spread across(grid.free_x ? (aim.x - view.aim.x) / grid.bin_width() : 0.0);
        const NodeWeights node = weights(grid, view, across.n, down.n);
        if (!node.any) continue;
        for (size_t i = view.begin; i < view.end; ++i) {
            const Column& column = columns_[i];
            const int top = column.first_row + down.n;
            const Rows rows = select_rows(grid, top, top + column.rows + 1);
            if (rows.low >= rows.high) continue;
            const kernels::ColumnTaps three = taps(grid, column, top, rows.low);
            // Fixed columns keep their light; otherwise spread it over up to three bins across.
            for (size_t a = 0; a < (grid.free_x ? 3 : 1); ++a) {
                const int c = grid.free_x
                                  ? cell_of(grid, column.index + across.n + static_cast<int>(a))
                                  : column.index;
                if (c < 0 || c >= grid.columns) continue;
                const double part = column.step * (grid.free_x ? share * across.weight[a] : share);
                const auto& of_node = node.at[a];
                const std::array<double, 3> weights{part * down.weight[2] * of_node[2],
                                                    part * down.weight[1] * of_node[1],
                                                    part * down.weight[0] * of_node[0]};
                sums.add(three,
                         weights.data(),
                         rows.high - rows.low,
                         cells.data() + grid.cell(c, rows.low));
            }
        }
    }
}

Image::Value Image::weighted(const ReceiverGrid& grid,
                             SurfacePoint aim,
                             const CellFactors& factors) const {
    if (lattice_) {
        const LatticeImage::Value sums = lattice_->weighted(aim, factors.cells);
        return {sums.value, sums.dx, sums.dy};
    }
    Value result;
    for (const View& view : views_) add_weighted(grid, view, aim, factors, result);
    result.dy /= -grid.bin_height();
    result.dx /= grid.bin_width();
    return result;
}

void Image::add_weighted(const ReceiverGrid& grid,
                         const View& view,
                         SurfacePoint aim,
                         const CellFactors& factors,
                         Value& result) const {
    const kernels::ColumnSums& sums = sums_of_columns();
    const Spread down((view.aim.y - aim.y) / grid.bin_height());
    const Spread across(grid.free_x ? (aim.x - view.aim.x) / grid.bin_width() : 0.0);
    const NodeWeights node = weights(grid, view, across.n, down.n);
    if (!node.any) return;
    // Sums of each shift, from the farthest on.
    std::array<double, size_t{3} * kernels::kColumnLanes> parts{};
    const auto take = [&](const std::array<double, 3>& weight,
                          const std::array<double, 3>& slope_across) {
        for (size_t k = 0; k < 3; ++k) {
            const double* part = parts.data() + (2 - k) * kernels::kColumnLanes;
            const double sum = std::accumulate(part, part + kernels::kColumnLanes, 0.0);
            result.value += weight[k] * down.weight[k] * sum;
            result.dy += weight[k] * down.slope[k] * sum;
            result.dx += slope_across[k] * down.weight[k] * sum;
        }
        parts.fill(0.0);
    };
    for (size_t i = view.begin; i < view.end; ++i) {
        const Column& column = columns_[i];
        const int top = column.first_row + down.n;
        const Rows rows = select_rows(grid, top, top + column.rows + 1);
        if (rows.low >= rows.high) continue;
        const kernels::ColumnTaps three = taps(grid, column, top, rows.low);
        // Sum by parts over the edges between cells, for each shift. Light above the first edge
        // exists only on the receiver's edge.
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
        // Combine the bins of a cell across, which have the same factors.
        for (size_t a = 0; a < 3;) {
            const auto cell_at = [&](size_t k) {
                return cell_of(grid, column.index + across.n + static_cast<int>(k));
            };
            const int c = cell_at(a);
            std::array<double, 3> weight{}, slope{};
            for (; a < 3 && cell_at(a) == c; ++a) {
                for (size_t k = 0; k < 3; ++k) {
                    weight[k] += across.weight[a] * node.at[a][k];
                    slope[k] += across.slope[a] * node.at[a][k];
                }
            }
            if (c < 0 || c >= grid.columns) continue;
            add_column(c);
            take(weight, slope);
        }
    }
    if (!grid.free_x) take(node.at[0], {});
}

}  // namespace helioray::aiming
