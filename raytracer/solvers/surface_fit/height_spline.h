// SPDX-License-Identifier: MIT
// Fits heights as a B-spline to samples, by normal equations with a symmetric banded matrix.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace helioray {

/// Symmetric matrix whose elements (i, j) are 0 for |i - j| above the bandwidth. Only the lower
/// half is stored: size * (bandwidth + 1) numbers.
///
/// LAPACK's dpbtrf is no faster at these sizes (0.15 ms for 16 x 16 control points with either, 1.9
/// against 8.1 ms for 32 x 32 with Debian's reference library) and would replace 30 lines by a
/// dependency.
class BandedMatrix {
  public:
    BandedMatrix(size_t size, size_t bandwidth);

    size_t size() const { return size_; }
    size_t bandwidth() const { return bandwidth_; }

    /// Returns element (i, j) with i - bandwidth <= j <= i.
    double& operator()(size_t i, size_t j) {
        return values_[i * (bandwidth_ + 1) + bandwidth_ + j - i];
    }
    double operator()(size_t i, size_t j) const {
        return values_[i * (bandwidth_ + 1) + bandwidth_ + j - i];
    }

    /// Adds factor * other; both have the same size and bandwidth.
    void add_scaled(const BandedMatrix& other, double factor);
    double trace() const;
    std::vector<double> multiply(const std::vector<double>& x) const;

  private:
    size_t size_;
    size_t bandwidth_;
    std::vector<double> values_;
};

/// Rectangle with a B-spline on clamped, equidistant knots.
struct SplineGrid {
    std::array<double, 2> low{};   ///< metres
    std::array<double, 2> high{};  ///< metres
    std::array<int64_t, 2> num_control_points{10, 10};
    std::array<int64_t, 2> degrees{3, 3};

    /// Returns the positions of control points along one axis for which the coordinate is linear in
    /// the parameter: low + (high - low) times the Greville abscissae, the means of `degree`
    /// successive inner knots.
    std::vector<double> abscissae(size_t axis) const;
    size_t num_unknowns() const {
        return static_cast<size_t>(num_control_points[0] * num_control_points[1]);
    }
};

/// Samples of a height z(x, y) and of its slopes dz/dx, dz/dy; all of the same length.
struct HeightSamples {
    std::vector<double> x, y;  ///< positions, metres, inside the rectangle
    std::vector<double> z;     ///< heights, metres
    std::vector<double> slope_x, slope_y;
};

/// Separate normal equations of heights and of slopes, so that any weighting of the two can be
/// solved without the samples.
class HeightSpline {
  public:
    /// Sums up the equations. Throws std::invalid_argument for samples outside the rectangle and
    /// for splines that bspline_basis() refuses.
    HeightSpline(const SplineGrid& grid, const HeightSamples& samples);

    /// Returns the control heights [nu * nv] that minimise the sum of height_weight * (z - z_i)^2 +
    /// slope_weight * (slope - slope_i)^2 per axis. Smoothness determines directions that the
    /// samples leave open: the energy of a thin plate, 1e-9 times as strong as the samples, whose
    /// effect on the other directions is removed by iteration. Returns an empty vector if the
    /// samples do not even determine a plane.
    std::vector<double> solve(double height_weight, double slope_weight) const;

    /// Returns the number of control points without samples.
    size_t num_unseen() const;

    /// Root mean square differences of heights and slopes (per axis) from the samples, and the mean
    /// difference of heights (sample - spline).
    struct Residuals {
        double height = 0.0;       ///< metres
        double slope = 0.0;        ///< radians
        double mean_height = 0.0;  ///< metres
    };
    Residuals residuals(const std::vector<double>& heights) const;

  private:
    /// Basis functions along one axis at the samples.
    struct AxisBasis {
        AxisBasis(const SplineGrid& grid, size_t axis, const std::vector<double>& coordinates);

        std::vector<int64_t> first;
        std::vector<double> values, derivatives;  // [P, degree + 1]; derivatives per metre
    };
    /// The (degree + 1)^2 terms of one sample.
    struct Terms;
    template <typename Use>
    void for_each_sample(const Use& use) const;
    void add_smoothness(const SplineGrid& grid);

    const SplineGrid grid_;
    const HeightSamples& samples_;
    const AxisBasis u_, v_;
    BandedMatrix height_matrix_, slope_matrix_, smoothness_;
    std::vector<double> height_right_, slope_right_;
};

}  // namespace helioray
