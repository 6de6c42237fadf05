// SPDX-License-Identifier: MIT
// Interpolates the light of a heliostat between traced aim points.
#include "raytracer/solvers/aiming/model/lattice_image.h"

#include "raytracer/solvers/aiming/model/patch_search.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace helioray::aiming {

namespace {

/// Fraction of an image's power by which its bound may exceed a value that is taken.
constexpr double kTolerance = 1e-4;
/// Fraction of an image's power below which a coefficient is left out.
constexpr double kFaintCell = 1e-6;

/// Weights of the coefficients next to an end in the coefficient beyond it, which continues them.
std::vector<double> continuation(int points, bool is_sharp) {
    if (points == 1) return {1.0};
    if (points == 2 || !is_sharp) return {2.0, -1.0};
    return {3.0, -3.0, 1.0};
}

/// Coefficients of the spline around a position, with their weights.
struct Axis {
    int first = 0;  ///< Index of the first coefficient
    int count = 1;
    std::array<double, 4> weight{1.0, 0.0, 0.0, 0.0};
    std::array<double, 4> slope{};  ///< Derivatives of the weights per metre

    /// position: distance from the first point of an axis with `points` points, metres.
    Axis(double position, double spacing, int points, bool is_sharp) {
        if (points == 1) return;
        const double t = std::clamp(position / spacing, 0.0, points - 1.0);
        const int middle = std::min(static_cast<int>(std::floor(t + 0.5)), points - 1);
        const double f = t - middle + 0.5;
        const std::array<double, 3> all{
            0.5 * (1.0 - f) * (1.0 - f), 0.5 + f * (1.0 - f), 0.5 * f * f};
        const std::array<double, 3> slopes{
            (f - 1.0) / spacing, (1.0 - 2.0 * f) / spacing, f / spacing};
        first = std::clamp(middle - 1, 0, std::max(0, points - 3));
        count = std::min(points, 3);
        weight = {};
        const auto add = [&](int index, double by, double slope_by) {
            weight[static_cast<size_t>(index - first)] += by;
            slope[static_cast<size_t>(index - first)] += slope_by;
        };
        for (int k = 0; k < 3; ++k) {
            const auto place = static_cast<size_t>(k);
            const int index = middle - 1 + k;
            if (index >= 0 && index < points) {
                add(index, all[place], slopes[place]);
                continue;
            }
            const std::vector<double> beyond = continuation(points, is_sharp);
            for (size_t n = 0; n < beyond.size(); ++n)
                add(index < 0 ? static_cast<int>(n) : points - 1 - static_cast<int>(n),
                    beyond[n] * all[place],
                    beyond[n] * slopes[place]);
        }
    }
};

/// Returns the matrix [points, points] that turns values along an axis into the coefficients of the
/// spline through them.
std::vector<double> coefficient_matrix(int points) {
    const auto size = static_cast<size_t>(points);
    std::vector<double> rows(size * size, 0.0), inverse(size * size, 0.0);
    for (int k = 0; k < points; ++k) {
        const Axis axis(k, 1.0, points, true);
        const size_t row = static_cast<size_t>(k) * size;
        for (int n = 0; n < axis.count; ++n)
            rows[row + static_cast<size_t>(axis.first + n)] = axis.weight[static_cast<size_t>(n)];
        inverse[row + static_cast<size_t>(k)] = 1.0;
    }
    // The rows are dominated by their diagonal, so that elimination needs no exchanges.
    for (size_t pivot = 0; pivot < size; ++pivot) {
        const double scale = 1.0 / rows[pivot * size + pivot];
        for (size_t c = 0; c < size; ++c) {
            rows[pivot * size + c] *= scale;
            inverse[pivot * size + c] *= scale;
        }
        for (size_t row = 0; row < size; ++row) {
            const double factor = rows[row * size + pivot];
            if (row == pivot || factor == 0.0) continue;
            for (size_t c = 0; c < size; ++c) {
                rows[row * size + c] -= factor * rows[pivot * size + c];
                inverse[row * size + c] -= factor * inverse[pivot * size + c];
            }
        }
    }
    return inverse;
}

/// Part [begin, end] of one of the spline's pieces, whose whole is [0, 1].
struct Part {
    double begin = 0.0, end = 1.0;
};

/// Returns the B-spline coefficients of a part of a quadratic piece.
std::array<double, 3> restricted(const std::array<double, 3>& c, Part part) {
    const double constant = 0.5 * (c[0] + c[1]), linear = c[1] - c[0];
    const double square = 0.5 * (c[0] - 2.0 * c[1] + c[2]);
    const auto polar = [&](double u, double v) {
        return constant + 0.5 * linear * (u + v) + square * u * v;
    };
    const double length = part.end - part.begin;
    return {polar(part.begin - length, part.begin),
            polar(part.begin, part.end),
            polar(part.end, part.end + length)};
}

/// Pieces of the spline along one axis that cover an interval.
struct Pieces {
    int first = 0, last = 0;
    double low = 0.0, high = 0.0;  ///< The interval, in spacings from the first point

    Pieces(double begin, double end, double spacing, int points) {
        if (points == 1) return;
        low = std::clamp(begin / spacing, 0.0, points - 1.0);
        high = std::clamp(end / spacing, low, points - 1.0);
        first = static_cast<int>(std::floor(low + 0.5));
        last = std::max(first, static_cast<int>(std::ceil(high - 0.5)));
    }
    Part part(int piece) const {
        return {std::clamp(low - piece + 0.5, 0.0, 1.0), std::clamp(high - piece + 0.5, 0.0, 1.0)};
    }
};

}  // namespace

LatticeImage::LatticeImage(const AimLattice& lattice,
                           const std::vector<SparseLight>& traced,
                           std::array<bool, 2> is_sharp)
    : lattice_(lattice), is_sharp_(is_sharp) {
    std::vector<uint32_t> cells;  // cells that any aim point lights, ascending
    for (const SparseLight& light : traced) {
        double sum = 0.0;
        for (const auto& [cell, watts] : light) {
            cells.push_back(cell);
            sum += static_cast<double>(watts);
        }
        power_ = std::max(power_, sum);
    }
    std::sort(cells.begin(), cells.end());
    cells.erase(std::unique(cells.begin(), cells.end()), cells.end());
    const size_t count = cells.size();
    std::vector<double> dense(lattice.size() * count, 0.0);
    for (size_t node = 0; node < traced.size(); ++node) {
        auto at = cells.begin();
        for (const auto& [cell, watts] : traced[node]) {
            at = std::lower_bound(at, cells.end(), cell);
            dense[node * count + static_cast<size_t>(at - cells.begin())] =
                static_cast<double>(watts);
        }
    }
    const auto solve = [&](size_t first, size_t step, const std::vector<double>& matrix) {
        const auto points = static_cast<size_t>(std::lround(std::sqrt(matrix.size())));
        std::vector<double> line(points);
        for (size_t c = 0; c < count; ++c) {
            const auto at = [&](size_t k) -> double& {
                return dense[(first + k * step) * count + c];
            };
            for (size_t k = 0; k < points; ++k) line[k] = at(k);
            if (std::ranges::all_of(line, [](double value) { return value == 0.0; })) continue;
            for (size_t k = 0; k < points; ++k)
                at(k) = std::inner_product(line.begin(),
                                           line.end(),
                                           matrix.begin() + static_cast<std::ptrdiff_t>(k * points),
                                           0.0);
        }
    };
    const auto across = static_cast<size_t>(lattice.across), up = static_cast<size_t>(lattice.up);
    if (is_sharp[0] && lattice.across > 2) {
        const std::vector<double> matrix = coefficient_matrix(lattice.across);
        for (size_t row = 0; row < up; ++row) solve(row * across, 1, matrix);
    }
    if (is_sharp[1] && lattice.up > 2) {
        const std::vector<double> matrix = coefficient_matrix(lattice.up);
        for (size_t column = 0; column < across; ++column) solve(column, across, matrix);
    }
    begins_.push_back(0);
    for (size_t node = 0; node < lattice.size(); ++node) {
        for (size_t c = 0; c < count; ++c) {
            const double watts = dense[node * count + c];
            if (std::abs(watts) <= kFaintCell * power_) continue;
            cells_.push_back(cells[c]);
            coefficients_.push_back(static_cast<float>(watts));
        }
        begins_.push_back(cells_.size());
    }
}

double LatticeImage::dot(size_t node, std::span<const double> factors) const {
    double sum = 0.0;
    for (size_t k = begins_[node]; k < begins_[node + 1]; ++k)
        sum += factors[cells_[k]] * static_cast<double>(coefficients_[k]);
    return sum;
}

void LatticeImage::add(SurfacePoint aim, double share, std::span<double> cells) const {
    const SurfacePoint step = lattice_.spacing();
    const Axis x(aim.x - lattice_.low.x, step.x, lattice_.across, is_sharp_[0]);
    const Axis y(aim.y - lattice_.low.y, step.y, lattice_.up, is_sharp_[1]);
    for (int row = 0; row < y.count; ++row) {
        for (int column = 0; column < x.count; ++column) {
            const double weight =
                share * y.weight[static_cast<size_t>(row)] * x.weight[static_cast<size_t>(column)];
            if (weight == 0.0) continue;
            const size_t node = lattice_.node(x.first + column, y.first + row);
            for (size_t k = begins_[node]; k < begins_[node + 1]; ++k)
                cells[cells_[k]] += weight * static_cast<double>(coefficients_[k]);
        }
    }
}

LatticeImage::Value LatticeImage::weighted(SurfacePoint aim,
                                           std::span<const double> factors) const {
    const SurfacePoint step = lattice_.spacing();
    const Axis x(aim.x - lattice_.low.x, step.x, lattice_.across, is_sharp_[0]);
    const Axis y(aim.y - lattice_.low.y, step.y, lattice_.up, is_sharp_[1]);
    Value result;
    for (int row = 0; row < y.count; ++row) {
        for (int column = 0; column < x.count; ++column) {
            const auto r = static_cast<size_t>(row), c = static_cast<size_t>(column);
            const size_t node = lattice_.node(x.first + column, y.first + row);
            const double sum = dot(node, factors);
            result.value += y.weight[r] * x.weight[c] * sum;
            result.dx += y.weight[r] * x.slope[c] * sum;
            result.dy += y.slope[r] * x.weight[c] * sum;
        }
    }
    return result;
}

LatticeImage::Best LatticeImage::best(SurfacePoint low,
                                      SurfacePoint high,
                                      std::span<const double> factors) const {
    std::vector<double> sums;
    for (size_t node = 0; node < lattice_.size(); ++node) sums.push_back(dot(node, factors));
    const auto at = [&](int column, int row) { return sums[lattice_.node(column, row)]; };
    // Returns a coefficient; those beyond the ends continue the others.
    const auto along = [](int index, int points, bool is_sharp, const auto& value) {
        if (index >= 0 && index < points) return value(index);
        const std::vector<double> beyond = continuation(points, is_sharp);
        double sum = 0.0;
        for (int n = 0; n < static_cast<int>(beyond.size()); ++n)
            sum += beyond[static_cast<size_t>(n)] * value(index < 0 ? n : points - 1 - n);
        return sum;
    };
    const SurfacePoint step = lattice_.spacing();
    const Pieces x(low.x - lattice_.low.x, high.x - lattice_.low.x, step.x, lattice_.across);
    const Pieces y(low.y - lattice_.low.y, high.y - lattice_.low.y, step.y, lattice_.up);
    PatchSearch search{kTolerance * power_};
    for (int column = x.first; column <= x.last; ++column) {
        for (int row = y.first; row <= y.last; ++row) {
            SplinePatch by_columns;
            for (int i = 0; i < 3; ++i) {
                std::array<double, 3> line{};
                for (int j = 0; j < 3; ++j)
                    line[static_cast<size_t>(j)] =
                        along(column - 1 + i, lattice_.across, is_sharp_[0], [&](int c) {
                            return along(row - 1 + j, lattice_.up, is_sharp_[1], [&](int r) {
                                return at(c, r);
                            });
                        });
                by_columns[static_cast<size_t>(i)] = restricted(line, y.part(row));
            }
            SplinePatch patch;
            for (size_t j = 0; j < 3; ++j) {
                const std::array<double, 3> line = restricted(
                    {by_columns[0][j], by_columns[1][j], by_columns[2][j]}, x.part(column));
                for (size_t i = 0; i < 3; ++i) patch[i][j] = line[i];
            }
            // Parts of different lengths are searched as unit squares with gaps between them.
            search.search(patch, 2.0 * column, 2.0 * row, 1.0);
        }
    }
    const auto place = [](const Pieces& pieces, double found, double from, double spacing) {
        if (spacing == 0.0) return from;
        const int piece = static_cast<int>(std::floor(0.5 * found));
        const Part part = pieces.part(piece);
        const double within = found - 2.0 * piece;
        return from + spacing * (piece - 0.5 + std::lerp(part.begin, part.end, within));
    };
    Best best;
    best.aim = {std::clamp(place(x, search.x, lattice_.low.x, step.x), low.x, high.x),
                std::clamp(place(y, search.y, lattice_.low.y, step.y), low.y, high.y)};
    best.value = weighted(best.aim, factors).value;
    best.bound = std::max(search.bound, best.value);
    return best;
}

}  // namespace helioray::aiming
