// SPDX-License-Identifier: MIT
// Finds the best aim point of an image: computes the spline's coefficients at all whole shifts, and
// their maximum.
#include "raytracer/solvers/aiming/model/column_places.h"
#include "raytracer/solvers/aiming/model/image.h"
#include "raytracer/solvers/aiming/model/patch_search.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <utility>

namespace helioray::aiming {

namespace {

/// Returns the smallest multiple of `step` that is at least n.
size_t round_up(size_t n, size_t step) {
    return (n + step - 1) / step * step;
}

}  // namespace

Image::Nodes::Nodes(
    const ReceiverGrid& grid, int begin_across, int num_across, int begin_down, int num_down)
    : first_across(begin_across),
      across(num_across),
      first_down(begin_down),
      down(num_down),
      shifts(cell_of(grid, num_down + grid.bins - 1)),
      stride(round_up(static_cast<size_t>(shifts), size_t{2} * kernels::kCorrelated)) {}

size_t Image::Nodes::place(const ReceiverGrid& grid, int m, int n) const {
    const int i = down - 1 - n;
    return (static_cast<size_t>(m) * static_cast<size_t>(grid.bins) +
            static_cast<size_t>(bin_of(grid, i))) *
               stride +
           static_cast<size_t>(cell_of(grid, i));
}

/// Shifts of a rectangle of aim points, down and across in bins from the first view. The function
/// of the shift is a quadratic spline with one coefficient for each whole shift.
struct Image::Lattice {
    SurfacePoint from;  ///< Aim point of the first view
    double down_low, down_high;
    int n_low, count;       ///< First whole shift down, and number of them
    int m_low, num_across;  ///< First whole shift across, and number of them
    std::vector<float> coefficients;

    Lattice(const ReceiverGrid& grid, SurfacePoint first, SurfacePoint low, SurfacePoint high)
        : from(first),
          down_low((from.y - high.y) / grid.bin_height()),
          down_high((from.y - low.y) / grid.bin_height()),
          n_low(static_cast<int>(std::floor(down_low - 0.5))),
          count(static_cast<int>(std::floor(down_high - 0.5)) + 3 - n_low),
          m_low(0),
          num_across(1) {
        if (grid.free_x) {
            const double across_low = (low.x - from.x) / grid.bin_width();
            const double across_high = (high.x - from.x) / grid.bin_width();
            m_low = static_cast<int>(std::floor(across_low - 0.5));
            num_across = static_cast<int>(std::floor(across_high - 0.5)) + 3 - m_low;
        }
        coefficients.resize(static_cast<size_t>(num_across) * static_cast<size_t>(count));
    }

    size_t place(int m, int n) const {
        return static_cast<size_t>(m) * static_cast<size_t>(count) + static_cast<size_t>(n);
    }
    double at(int m, int n) const { return static_cast<double>(coefficients[place(m, n)]); }

    /// Finds the shift down with the largest value, for images that do not move across. Returns the
    /// shift and the value.
    std::pair<double, double> best_down() const {
        double best = -1e300, shift = down_low;
        for (int n = 0; n + 2 < count; ++n) {
            const double a0 = at(0, n), a1 = at(0, n + 1), a2 = at(0, n + 2);
            // Skip a piece if the highest point of its Bezier polygon is not above the best value.
            if (std::max({0.5 * (a0 + a1), a1, 0.5 * (a1 + a2)}) <= best) continue;
            const double begin = n_low + n + 0.5;
            const double first = std::max(0.0, down_low - begin);
            const double last = std::max(first, std::min(1.0, down_high - begin));
            const auto value = [&](double f) {
                return 0.5 * (1 - f) * (1 - f) * a0 + (0.5 + f * (1 - f)) * a1 + 0.5 * f * f * a2;
            };
            const auto take = [&](double f) {
                if (value(f) <= best) return;
                best = value(f);
                shift = begin + f;
            };
            take(first);
            take(last);
            const double bend = a0 - 2.0 * a1 + a2;
            if (bend < 0.0) take(std::clamp((a0 - a1) / bend, first, last));
        }
        return {shift, best};
    }
};

void Image::add_coefficients(const ReceiverGrid& grid,
                             const View& view,
                             const CellFactors& factors,
                             Lattice& to,
                             std::vector<float>& of_view) const {
    // Find the nodes at which the view counts, and their position relative to its aim point. The
    // views form a lattice of whole bins.
    const auto within = [](double begin, double end, double first, double bin, int number) {
        const auto clamped = [&](double t) {
            return static_cast<int>(std::clamp(t, 0.0, static_cast<double>(number)));
        };
        return std::pair(clamped(std::floor((begin - first) / bin)),
                         clamped(std::ceil((end - first) / bin) + 1.0));
    };
    const auto [m_begin, m_end] = grid.free_x ? within(view.low.x,
                                                       view.high.x,
                                                       to.from.x + to.m_low * grid.bin_width(),
                                                       grid.bin_width(),
                                                       to.num_across)
                                              : std::pair(0, 1);
    const auto [n_begin, n_end] = within(-view.high.y,
                                         -view.low.y,
                                         to.n_low * grid.bin_height() - to.from.y,
                                         grid.bin_height(),
                                         to.count);
    if (m_begin >= m_end || n_begin >= n_end) return;
    const auto m_view =
        grid.free_x ? static_cast<int>(std::lround((view.aim.x - to.from.x) / grid.bin_width()))
                    : 0;
    const auto n_view = static_cast<int>(std::lround((to.from.y - view.aim.y) / grid.bin_height()));
    const Nodes nodes(grid,
                      to.m_low + m_begin - m_view,
                      m_end - m_begin,
                      to.n_low + n_begin - n_view,
                      n_end - n_begin);
    correlate(grid, view, factors, nodes, of_view);
    for (int m = m_begin; m < m_end; ++m) {
        for (int n = n_begin; n < n_end; ++n) {
            const double weight =
                view.weight({to.from.x + (grid.free_x ? (to.m_low + m) * grid.bin_width() : 0.0),
                             to.from.y - (to.n_low + n) * grid.bin_height()});
            to.coefficients[to.place(m, n)] +=
                static_cast<float>(weight) * of_view[nodes.place(grid, m - m_begin, n - n_begin)];
        }
    }
}

Image::Best Image::best(const ReceiverGrid& grid,
                        SurfacePoint low,
                        SurfacePoint high,
                        const CellFactors& factors) const {
    if (lattice_) {
        const LatticeImage::Best found = lattice_->best(low, high, factors.cells);
        return {found.bound, found.value, found.aim};
    }
    if (views_.empty()) return {0.0, 0.0, low};
    Lattice lattice(grid, views_.front().aim, low, high);
    std::vector<float> of_view;
    for (const View& view : views_) add_coefficients(grid, view, factors, lattice, of_view);
    const SurfacePoint from = lattice.from;
    Best best;
    if (!grid.free_x) {
        const auto [shift, value] = lattice.best_down();
        best.bound = best.value = value;
        best.aim = {low.x, std::clamp(from.y - shift * grid.bin_height(), low.y, high.y)};
        return best;
    }
    PatchSearch search{1e-4 * power_};
    for (int m = 0; m + 2 < lattice.num_across; ++m) {
        for (int n = 0; n + 2 < lattice.count; ++n) {
            SplinePatch patch;
            for (int i = 0; i < 3; ++i)
                for (int j = 0; j < 3; ++j)
                    patch[static_cast<size_t>(i)][static_cast<size_t>(j)] =
                        lattice.at(m + i, n + j);
            search.search(patch, lattice.m_low + m + 0.5, lattice.n_low + n + 0.5, 1.0);
        }
    }
    best.bound = search.bound;
    best.aim = {std::clamp(from.x + search.x * grid.bin_width(), low.x, high.x),
                std::clamp(from.y - search.y * grid.bin_height(), low.y, high.y)};
    best.value = weighted(grid, best.aim, factors).value;
    return best;
}

void Image::correlate(const ReceiverGrid& grid,
                      const View& view,
                      const CellFactors& factors,
                      const Nodes& to,
                      std::vector<float>& coefficients) const {
    const kernels::ColumnSums& sums_of = sums_of_columns();
    const auto bins = static_cast<size_t>(grid.bins);
    coefficients.assign(static_cast<size_t>(to.across) * bins * to.stride, 0.0f);
    // Stores the light of a column above the edges at each shift.
    std::vector<float> light(static_cast<size_t>(grid.rows) + 1 + to.stride);
    for (size_t k = view.begin; k < view.end; ++k) {
        const Column& column = columns_[k];
        const auto length = static_cast<int>(length_of(grid, column));
        const auto step = static_cast<float>(column.step);
        for (size_t b = 0; b < bins; ++b) {
            // Start with edge 0 at the last shift.
            const int first = pad_of(grid) - (to.first_down + to.down - 1) - column.first_row +
                              static_cast<int>(b);
            const uint16_t* from =
                sums_.data() + column.begin + static_cast<size_t>(bin_of(grid, first) * length);
            // Edges before the column have no light above them; edges after it have all of it.
            const int begin = cell_of(grid, first), size = static_cast<int>(light.size());
            const int none = std::clamp(-begin, 0, size);
            const int some = std::clamp(length - begin, none, size);
            std::fill_n(light.data(), none, 0.0f);
            for (int i = none; i < some; ++i)
                light[static_cast<size_t>(i)] = step * static_cast<float>(from[begin + i]);
            std::fill(light.begin() + some, light.end(), step * kernels::kLightSteps);
            for (int m = 0; m < to.across; ++m) {
                const int c =
                    grid.free_x ? cell_of(grid, column.index + to.first_across + m) : column.index;
                if (c < 0 || c >= grid.columns) continue;
                sums_of.correlate(
                    light.data(),
                    factors.single_jumps.data() + grid.cell(c, 0) + c,
                    grid.rows + 1,
                    to.shifts,
                    coefficients.data() + (static_cast<size_t>(m) * bins + b) * to.stride);
            }
        }
    }
}

}  // namespace helioray::aiming
