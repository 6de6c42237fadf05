// SPDX-License-Identifier: MIT
// Image of one heliostat, and the flux it makes at other aim points.
#pragma once

#include "kernels/core/column_sums.h"
#include "raytracer/solvers/aiming/model/lattice_image.h"
#include "raytracer/solvers/aiming/model/receiver_grid.h"

#include <array>
#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <utility>
#include <vector>

namespace helioray::aiming {

/// Factor for each cell of a grid, preprocessed for sums over many images.
struct CellFactors {
    /// Preprocesses the factors, one per cell.
    CellFactors(const ReceiverGrid& grid, std::span<const double> factors);
    /// Stores the factors of cells of receivers, for images of LatticeImage.
    explicit CellFactors(std::span<const double> factors) : cells(factors.begin(), factors.end()) {}

    /// `cells`: factors by cell as in the grid. `jumps`: column by column, for the upper edge of
    /// each cell and the lowest edge, the factor above the edge minus the factor below it, with 0
    /// outside of the grid.
    std::vector<double> cells, jumps;
    std::vector<float> single_jumps;  ///< `jumps` in single precision
};

/// Ratio of the power of an image to its power at the traced aim point, as a quadratic polynomial
/// of the displacement of the aim point. It describes the change of the mirror's cosine.
struct PowerFactor {
    double x = 0.0, y = 0.0;              ///< Coefficients per metre to the right, and up
    double xx = 0.0, xy = 0.0, yy = 0.0;  ///< Coefficients per square metre

    double at(double right, double up) const {
        return 1.0 + right * (x + right * xx + up * xy) + up * (y + up * yy);
    }
};

/// Light of one heliostat as a function of its aim point: on the surfaces of receivers a
/// LatticeImage, otherwise the power in the bins of a target's grid, traced from one aim point or
/// from a lattice of aim points. When the image moves with the aim point, the light of every bin is
/// spread linearly over its neighbours with the weights of quadratic B-splines, so that the power
/// in a cell and its derivative are continuous functions of the aim point. Shape and power also
/// depend on the aim point: the spline's coefficient at each whole shift is interpolated linearly
/// between the images of the nearest traced aim points, times the change of the cosine.
class Image {
  public:
    /// Creates an empty image.
    Image() = default;
    /// Creates an image from the power of bin [row, column] of the enlarged target's bitmap. Only
    /// rows [first_row, last_row] hold light. Light further out is added to the outermost stored
    /// bins.
    Image(const ReceiverGrid& grid,
          SurfacePoint aim,
          int bitmap_width,
          int first_row,
          int last_row,
          std::span<const double> watts);

    /// Creates an image on the surfaces of receivers. spread, offset: see the functions.
    Image(LatticeImage image, SurfacePoint spread, SurfacePoint offset)
        : spread_(spread),
          offset_(offset),
          power_(image.power()),
          lattice_(std::make_shared<const LatticeImage>(std::move(image))) {}

    /// Joins images of one heliostat that were traced from a lattice of aim points, given row by
    /// row from the lowest row, each row from the left. The aim points differ by whole bins.
    static Image blend(std::vector<Image> images, int across, int up);
    /// Sets the change of power with the aim point, for an image that was traced from one aim
    /// point.
    void set_factor(const PowerFactor& factor) {
        for (View& view : views_) view.factor = factor;
    }

    /// Returns the power of the whole image, W, including light beyond the receiver's edges; with
    /// several traced aim points the largest.
    double power() const { return power_; }
    /// Returns the standard deviation of the light about its centre, metres, across and up. The
    /// value across is 0 for fixed columns, which do not tell the width of an image.
    SurfacePoint spread() const { return spread_; }
    /// Returns the centre of the light minus the aim point, metres. The value across is 0 for fixed
    /// columns.
    SurfacePoint offset() const { return offset_; }

    /// Prefetches the image into the processor's cache, because sums over all images are limited by
    /// memory access.
    void prefetch() const;

    /// Adds the fraction `share` of the power that the image aimed at `aim` brings to each cell.
    void add(const ReceiverGrid& grid,
             SurfacePoint aim,
             double share,
             std::span<double> cells) const;

    /// Sum over cells of the power times a factor for each cell, with its derivatives.
    struct Value {
        double value = 0.0;
        double dx = 0.0;  ///< Derivative with respect to aim.x, per metre
        double dy = 0.0;
    };
    Value weighted(const ReceiverGrid& grid, SurfacePoint aim, const CellFactors& factors) const;

    /// Best aim point of a rectangle for the same sum.
    struct Best {
        double bound = 0.0;  ///< Upper bound over all aim points of the rectangle
        double value = 0.0;  ///< Value at `aim`
        SurfacePoint aim;
    };
    Best best(const ReceiverGrid& grid,
              SurfacePoint low,
              SurfacePoint high,
              const CellFactors& factors) const;

  private:
    /// Image from one traced aim point, and the range in which it is used.
    struct View {
        SurfacePoint aim;
        SurfacePoint low{-std::numeric_limits<double>::infinity(),
                         -std::numeric_limits<double>::infinity()};
        SurfacePoint high{std::numeric_limits<double>::infinity(),
                          std::numeric_limits<double>::infinity()};
        PowerFactor factor;
        size_t begin = 0, end = 0;  ///< Range of its columns

        /// Returns the weight of this view in a coefficient of the spline.
        double weight(SurfacePoint at) const;
    };
    /// Weights of a view in the coefficients around a shift, [across][down].
    struct NodeWeights {
        std::array<std::array<double, 3>, 3> at{};
        bool any = false;
    };
    static NodeWeights weights(const ReceiverGrid& grid, const View& view, int across, int down);
    void add_weighted(const ReceiverGrid& grid,
                      const View& view,
                      SurfacePoint aim,
                      const CellFactors& factors,
                      Value& result) const;
    /// Whole shifts of a view at which its light is summed. Shifts run from the last down to the
    /// first, so that sums are read forwards, and are grouped by their position in a cell, like the
    /// sums of columns.
    struct Nodes {
        int first_across, across, first_down, down;
        int shifts;     ///< Number of shifts down for each position in a cell
        size_t stride;  ///< Distance between positions in a cell

        Nodes(const ReceiverGrid& grid,
              int begin_across,
              int num_across,
              int begin_down,
              int num_down);
        size_t place(const ReceiverGrid& grid, int m, int n) const;
    };
    /// Computes the sum of the view's light times the factors at all nodes.
    void correlate(const ReceiverGrid& grid,
                   const View& view,
                   const CellFactors& factors,
                   const Nodes& to,
                   std::vector<float>& coefficients) const;
    struct Lattice;
    /// Adds a view to the coefficients of the spline. of_view: memory that the views share.
    void add_coefficients(const ReceiverGrid& grid,
                          const View& view,
                          const CellFactors& factors,
                          Lattice& to,
                          std::vector<float>& of_view) const;

    /// Bins of one column of an image, from the top down.
    struct Column {
        int index = 0;      ///< Position in bins across, from the receiver's left edge
        int first_row = 0;  ///< Position in bins down, from the receiver's top edge
        int rows = 0;
        double step = 0.0;  ///< Power of one step of its sums, W
        size_t begin = 0;   ///< Index of its first sum in sums_
    };

    /// Returns the number of sums stored for a column, over all positions in a cell.
    static size_t length_of(const ReceiverGrid& grid, const Column& column);
    /// Returns the sums for the receiver's edges from `row` on: those of the farthest of three
    /// neighbouring shifts, then those of the two others. top: bin of the receiver at which the
    /// shifted column begins.
    kernels::ColumnTaps taps(const ReceiverGrid& grid,
                             const Column& column,
                             int top,
                             int row) const;

    SurfacePoint spread_, offset_;
    double power_ = 0.0;
    /// Light on the surfaces of receivers, in place of the views; null for targets that stand
    /// alone.
    std::shared_ptr<const LatticeImage> lattice_;
    std::vector<View> views_;
    std::vector<Column> columns_;
    /// Light above the edges between rows, as fractions of the column's light in steps, column by
    /// column. Zeros precede the column and full sums follow it, enough for all shifts of the
    /// cells. Each column stores the edges at the first position in a cell, then those at the
    /// second, and so on, so that values that are added together are adjacent.
    std::vector<uint16_t> sums_;
};

}  // namespace helioray::aiming
