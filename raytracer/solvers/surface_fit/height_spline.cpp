// SPDX-License-Identifier: MIT
// Symmetric banded matrices, and the normal equations of B-spline heights.
#include "raytracer/solvers/surface_fit/height_spline.h"

#include "raytracer/linear/cholesky.h"
#include "raytracer/tracing/surface/bspline.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace helioray {

BandedMatrix::BandedMatrix(size_t size, size_t bandwidth)
    : size_(size), bandwidth_(bandwidth), values_(size * (bandwidth + 1), 0.0) {}

void BandedMatrix::add_scaled(const BandedMatrix& other, double factor) {
    for (size_t i = 0; i < values_.size(); ++i) values_[i] += factor * other.values_[i];
}

double BandedMatrix::trace() const {
    double sum = 0.0;
    for (size_t i = 0; i < size_; ++i) sum += (*this)(i, i);
    return sum;
}

std::vector<double> BandedMatrix::multiply(const std::vector<double>& x) const {
    std::vector<double> product(size_, 0.0);
    for (size_t i = 0; i < size_; ++i) {
        for (size_t j = i - std::min(i, bandwidth_); j < i; ++j) {
            product[i] += (*this)(i, j) * x[j];
            product[j] += (*this)(i, j) * x[i];
        }
        product[i] += (*this)(i, i) * x[i];
    }
    return product;
}

namespace {

constexpr double kSmoothness = 1e-9;  // relative to the weight of the samples
constexpr int kPasses = 4;            // passes of the iteration that removes the bias by smoothness

size_t band(const SplineGrid& grid) {
    // Smoothness couples control points at distance two along each axis, the basis at distance
    // `degree`.
    const auto reach = [&](size_t axis) { return std::max<int64_t>(grid.degrees[axis], 2); };
    return static_cast<size_t>(reach(0) * grid.num_control_points[1] + reach(1));
}

void add_equation(BandedMatrix& matrix,
                  std::vector<double>& right,
                  const std::vector<size_t>& indices,
                  const std::vector<double>& terms,
                  double value) {
    // The indices ascend, so this fills the lower half.
    for (size_t a = 0; a < indices.size(); ++a) {
        for (size_t b = 0; b <= a; ++b) matrix(indices[a], indices[b]) += terms[a] * terms[b];
        right[indices[a]] += terms[a] * value;
    }
}

}  // namespace

std::vector<double> SplineGrid::abscissae(size_t axis) const {
    const int64_t n = num_control_points[axis], degree = degrees[axis];
    const std::vector<double> knots = clamped_uniform_knots(n, degree);
    std::vector<double> result;
    for (int64_t i = 0; i < n; ++i) {
        double sum = 0.0;
        for (int64_t k = 1; k <= degree; ++k) sum += knots[static_cast<size_t>(i + k)];
        const double t = sum / static_cast<double>(degree);
        result.push_back(low[axis] + (high[axis] - low[axis]) * t);
    }
    return result;
}

HeightSpline::AxisBasis::AxisBasis(const SplineGrid& grid,
                                   size_t axis,
                                   const std::vector<double>& coordinates) {
    const double extent = grid.high[axis] - grid.low[axis];
    const int64_t degree = grid.degrees[axis];
    for (const double x : coordinates) {
        const kernels::BasisValues<double> basis =
            bspline_basis((x - grid.low[axis]) / extent, grid.num_control_points[axis], degree);
        first.push_back(basis.first);
        values.insert(values.end(), basis.value, basis.value + degree + 1);
        for (int64_t k = 0; k <= degree; ++k) derivatives.push_back(basis.derivative[k] / extent);
    }
}

struct HeightSpline::Terms {
    size_t sample = 0;
    std::vector<size_t> indices;
    std::vector<double> value, slope_x, slope_y;
};

template <typename Use>
void HeightSpline::for_each_sample(const Use& use) const {
    const auto wu = static_cast<size_t>(grid_.degrees[0] + 1);
    const auto wv = static_cast<size_t>(grid_.degrees[1] + 1);
    Terms terms;
    for (auto* list : {&terms.value, &terms.slope_x, &terms.slope_y}) list->resize(wu * wv);
    terms.indices.resize(wu * wv);
    for (size_t i = 0; i < samples_.x.size(); ++i) {
        terms.sample = i;
        for (size_t a = 0; a < wu; ++a) {
            for (size_t b = 0; b < wv; ++b) {
                const size_t k = a * wv + b, at_u = i * wu + a, at_v = i * wv + b;
                terms.indices[k] = static_cast<size_t>((u_.first[i] + static_cast<int64_t>(a)) *
                                                           grid_.num_control_points[1] +
                                                       v_.first[i] + static_cast<int64_t>(b));
                terms.value[k] = u_.values[at_u] * v_.values[at_v];
                terms.slope_x[k] = u_.derivatives[at_u] * v_.values[at_v];
                terms.slope_y[k] = u_.values[at_u] * v_.derivatives[at_v];
            }
        }
        use(terms);
    }
}

HeightSpline::HeightSpline(const SplineGrid& grid, const HeightSamples& samples)
    : grid_(grid),
      samples_(samples),
      u_(grid, 0, samples.x),
      v_(grid, 1, samples.y),
      height_matrix_(grid.num_unknowns(), band(grid)),
      slope_matrix_(grid.num_unknowns(), band(grid)),
      smoothness_(grid.num_unknowns(), band(grid)),
      height_right_(grid.num_unknowns(), 0.0),
      slope_right_(grid.num_unknowns(), 0.0) {
    for_each_sample([this](const Terms& t) {
        add_equation(height_matrix_, height_right_, t.indices, t.value, samples_.z[t.sample]);
        add_equation(slope_matrix_, slope_right_, t.indices, t.slope_x, samples_.slope_x[t.sample]);
        add_equation(slope_matrix_, slope_right_, t.indices, t.slope_y, samples_.slope_y[t.sample]);
    });
    add_smoothness(grid);
}

void HeightSpline::add_smoothness(const SplineGrid& grid) {
    // Penalise changes of the slope from one control point to the next; they are 0 for planes with
    // any spacing.
    const std::vector<double> x = grid.abscissae(0), y = grid.abscissae(1);
    const size_t nu = x.size(), nv = y.size();
    std::vector<double> ignored(grid.num_unknowns(), 0.0);
    const auto bend = [&](double before, double here, double after) {
        const double a = 1.0 / (here - before), b = 1.0 / (after - here);
        return std::vector<double>{a, -a - b, b};
    };
    for (size_t i = 0; i < nu; ++i) {
        for (size_t j = 0; j < nv; ++j) {
            const size_t k = i * nv + j;
            if (i + 2 < nu) {
                add_equation(smoothness_,
                             ignored,
                             {k, k + nv, k + 2 * nv},
                             bend(x[i], x[i + 1], x[i + 2]),
                             0.0);
            }
            if (j + 2 < nv) {
                add_equation(
                    smoothness_, ignored, {k, k + 1, k + 2}, bend(y[j], y[j + 1], y[j + 2]), 0.0);
            }
            if (i + 1 < nu && j + 1 < nv) {
                const double s = 1.0 / std::sqrt((x[i + 1] - x[i]) * (y[j + 1] - y[j]));
                add_equation(
                    smoothness_, ignored, {k, k + 1, k + nv, k + nv + 1}, {s, -s, -s, s}, 0.0);
            }
        }
    }
}

std::vector<double> HeightSpline::solve(double height_weight, double slope_weight) const {
    BandedMatrix data(height_matrix_.size(), height_matrix_.bandwidth());
    data.add_scaled(height_matrix_, height_weight);
    data.add_scaled(slope_matrix_, slope_weight);
    BandedMatrix smooth = data;
    smooth.add_scaled(smoothness_, kSmoothness * data.trace() / smoothness_.trace());
    const Cholesky factor(std::move(smooth));
    if (!factor.positive()) return {};

    // Every pass solves for the remaining residual, so the smoothness has no effect on heights that
    // the samples determine.
    std::vector<double> heights(data.size(), 0.0);
    for (int pass = 0; pass < kPasses; ++pass) {
        std::vector<double> open = data.multiply(heights);
        for (size_t i = 0; i < open.size(); ++i) {
            open[i] = height_weight * height_right_[i] + slope_weight * slope_right_[i] - open[i];
        }
        const std::vector<double> step = factor.solve(open);
        for (size_t i = 0; i < heights.size(); ++i) heights[i] += step[i];
    }
    for (const double height : heights) {
        if (!std::isfinite(height)) return {};
    }
    return heights;
}

size_t HeightSpline::num_unseen() const {
    size_t count = 0;
    for (size_t i = 0; i < height_matrix_.size(); ++i) count += height_matrix_(i, i) == 0.0;
    return count;
}

HeightSpline::Residuals HeightSpline::residuals(const std::vector<double>& heights) const {
    Residuals sums;
    for_each_sample([&](const Terms& t) {
        double z = -samples_.z[t.sample], slope_x = -samples_.slope_x[t.sample],
               slope_y = -samples_.slope_y[t.sample];
        for (size_t k = 0; k < t.indices.size(); ++k) {
            const double height = heights[t.indices[k]];
            z += t.value[k] * height;
            slope_x += t.slope_x[k] * height;
            slope_y += t.slope_y[k] * height;
        }
        sums.height += z * z;
        sums.slope += 0.5 * (slope_x * slope_x + slope_y * slope_y);
        sums.mean_height -= z;
    });
    const auto count = static_cast<double>(samples_.x.size());
    return {
        std::sqrt(sums.height / count), std::sqrt(sums.slope / count), sums.mean_height / count};
}

}  // namespace helioray
