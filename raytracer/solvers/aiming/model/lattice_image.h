// SPDX-License-Identifier: MIT
// Light of one heliostat on the cells of several surfaces, interpolated between traced aim points.
#pragma once

#include "raytracer/solvers/aiming/model/receiver_grid.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace helioray::aiming {

/// Aim points in rows and columns over a rectangle, corners included. An axis with one point has no
/// extent.
struct AimLattice {
    SurfacePoint low, high;  ///< Corners of the rectangle
    int across = 1;          ///< Number of columns
    int up = 1;              ///< Number of rows

    /// Returns the number of aim points.
    size_t size() const { return static_cast<size_t>(across) * static_cast<size_t>(up); }
    /// Returns the index of an aim point.
    size_t node(int column, int row) const {
        return static_cast<size_t>(row) * static_cast<size_t>(across) + static_cast<size_t>(column);
    }
    /// Returns the distance between neighbouring points, metres; 0 along an axis with one point.
    SurfacePoint spacing() const {
        return {across > 1 ? (high.x - low.x) / (across - 1) : 0.0,
                up > 1 ? (high.y - low.y) / (up - 1) : 0.0};
    }
    /// Returns an aim point; rows count upwards.
    SurfacePoint at(int column, int row) const {
        const SurfacePoint step = spacing();
        return {low.x + column * step.x, low.y + row * step.y};
    }
};

/// Power on cells, W: ascending indices of cells with their light.
using SparseLight = std::vector<std::pair<uint32_t, float>>;

/// Image of a heliostat that was traced from a lattice of aim points. Between them, the power in
/// each cell is a quadratic B-spline of the aim point with one coefficient for each point. Surfaces
/// may lie in any way, since nothing is assumed about how light moves between their cells.
class LatticeImage {
  public:
    /// traced: light from each point of the lattice, row by row from the lowest one. is_sharp:
    /// along each axis, true if the spline passes through the traced values, which suits images
    /// wider than the spacing; false if they are its coefficients, so that power is never negative
    /// and images are blurred by half the spacing.
    LatticeImage(const AimLattice& lattice,
                 const std::vector<SparseLight>& traced,
                 std::array<bool, 2> is_sharp);

    /// Returns the largest power of a traced aim point, W.
    double power() const { return power_; }

    /// Adds the fraction `share` of the power that the image aimed at `aim` brings to each cell.
    void add(SurfacePoint aim, double share, std::span<double> cells) const;

    /// Sum over cells of the power times a factor for each cell, with its derivatives per metre.
    struct Value {
        double value = 0.0, dx = 0.0, dy = 0.0;
    };
    Value weighted(SurfacePoint aim, std::span<const double> factors) const;

    /// Best aim point of a rectangle for the same sum.
    struct Best {
        double bound = 0.0;  ///< Upper bound over all aim points of the rectangle
        double value = 0.0;  ///< Value at `aim`
        SurfacePoint aim;
    };
    Best best(SurfacePoint low, SurfacePoint high, std::span<const double> factors) const;

  private:
    /// Returns the sum of a coefficient's light times the factors.
    double dot(size_t node, std::span<const double> factors) const;

    AimLattice lattice_;
    std::array<bool, 2> is_sharp_;  ///< See the constructor
    double power_ = 0.0;
    std::vector<size_t> begins_;       ///< First coefficient of each aim point, and their number
    std::vector<uint32_t> cells_;      ///< Cells of the coefficients
    std::vector<float> coefficients_;  ///< Coefficients of the spline, W, by aim point
};

}  // namespace helioray::aiming
