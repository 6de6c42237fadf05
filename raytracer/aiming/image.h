// SPDX-License-Identifier: MIT
// The image of one heliostat, and the flux that it makes once its aim point has moved.
#pragma once

#include "kernels/core/column_sums.h"
#include "raytracer/aiming/receiver_grid.h"

#include <array>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

namespace helioray::aiming {

/// A factor for each cell of a grid, made ready for sums over many images.
struct CellFactors {
    /// factors: by cell.
    CellFactors(const ReceiverGrid& grid, std::span<const double> factors);

    /// By cell as in the grid, and column by column by the upper edge of each cell and the lowest
    /// one: the factor above the edge less that below it, 0 outside.
    std::vector<double> cells, jumps;
    std::vector<float> single_jumps;  ///< the same in single precision
};

/// Power of an image over its power at the aim point that it was traced with, as a quadratic
/// polynomial of the way of the aim point: mirrors that turn have another cosine.
struct PowerFactor {
    double x = 0.0, y = 0.0;              ///< per metre to the right, and up
    double xx = 0.0, xy = 0.0, yy = 0.0;  ///< per square metre

    double at(double right, double up) const {
        return 1.0 + right * (x + right * xx + up * xy) + up * (y + up * yy);
    }
};

/// Power in the bins of a receiver's grid, traced from one aim point or from a lattice of them.
/// Moved with the aim point, the light of every bin is spread linearly over its neighbours, so that
/// the power in a cell and its derivative are continuous functions of the aim point: the weights
/// are those of quadratic B-splines. Shape and power also change with the aim point: the
/// coefficient of the spline at each whole shift is the image of the nearest traced aim points,
/// interpolated linearly, times the change of the cosine.
class Image {
  public:
    /// Nothing.
    Image() = default;
    /// watts: power of bin [row, column] of the enlarged target's bitmap, [first_row, last_row]
    /// alone holds light. Light far out is added to the outermost bins that are kept.
    Image(const ReceiverGrid& grid,
          SurfacePoint aim,
          int bitmap_width,
          int first_row,
          int last_row,
          std::span<const double> watts);

    /// Joins images of one heliostat that were traced from a lattice of aim points, row by row from
    /// the lowest one, each from the left. The aim points differ by whole bins.
    static Image blend(std::vector<Image> images, int across, int up);
    /// Sets the change of the power of an image that was traced from one aim point.
    void set_factor(const PowerFactor& factor) {
        for (View& view : views_) view.factor = factor;
    }

    /// W of the whole image, beyond the receiver's edges too; of several aim points the most.
    double power() const { return power_; }
    /// Standard deviation about the centre of the light, metres: across, up. Columns that are fixed
    /// do not say how wide an image is: 0.
    SurfacePoint spread() const { return spread_; }
    /// Centre of the light less the aim point, metres; across 0 for columns that are fixed.
    SurfacePoint offset() const { return offset_; }

    /// Asks for the image to be brought near the processor: sums over all images wait for memory
    /// most of their time.
    void prefetch() const;

    /// Adds `share` of the power that it brings to each cell, aimed at `aim`.
    void add(const ReceiverGrid& grid,
             SurfacePoint aim,
             double share,
             std::span<double> cells) const;

    /// A sum over cells of the power times a factor for each cell, and its derivatives.
    struct Value {
        double value = 0.0;
        double dx = 0.0;  ///< per metre
        double dy = 0.0;
    };
    Value weighted(const ReceiverGrid& grid, SurfacePoint aim, const CellFactors& factors) const;

    /// The best of all aim points of a rectangle for the same sum.
    struct Best {
        double bound = 0.0;  ///< no aim point brings more
        double value = 0.0;  ///< at the point below
        SurfacePoint aim;
    };
    Best best(const ReceiverGrid& grid,
              SurfacePoint low,
              SurfacePoint high,
              const CellFactors& factors) const;

  private:
    /// The light from one aim point, and between which others it counts.
    struct View {
        SurfacePoint aim;
        SurfacePoint low{-std::numeric_limits<double>::infinity(),
                         -std::numeric_limits<double>::infinity()};
        SurfacePoint high{std::numeric_limits<double>::infinity(),
                          std::numeric_limits<double>::infinity()};
        PowerFactor factor;
        size_t begin = 0, end = 0;  ///< columns

        /// Part of this view in a coefficient of the spline.
        double weight(SurfacePoint at) const;
    };
    /// Parts of a view in the coefficients around a shift, [across][down].
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
    /// Whole shifts of a view by which its light is summed. From the last shift down to the first,
    /// so that sums are read forwards; apart by their place in a cell, as the sums of columns are.
    struct Nodes {
        int first_across, across, first_down, down;
        int shifts;     ///< down, of each place in a cell
        size_t stride;  ///< between places in a cell

        Nodes(const ReceiverGrid& grid,
              int begin_across,
              int num_across,
              int begin_down,
              int num_down);
        size_t place(const ReceiverGrid& grid, int m, int n) const;
    };
    /// Writes the sum of the view's light times the factors at all nodes.
    void correlate(const ReceiverGrid& grid,
                   const View& view,
                   const CellFactors& factors,
                   const Nodes& to,
                   std::vector<float>& coefficients) const;

    /// Bins of one column, from the top down.
    struct Column {
        int index = 0;      ///< in bins across, from the receiver's left edge
        int first_row = 0;  ///< in bins down, from the receiver's top edge
        int rows = 0;
        double step = 0.0;  ///< W of a step of its sums
        size_t begin = 0;   ///< of its sums in sums_
    };

    /// Sums of a column for every place in a cell.
    static size_t length_of(const ReceiverGrid& grid, const Column& column);
    /// The sums that belong to the receiver's edges from `row` on: of the farthest of three
    /// neighbouring shifts, then of the two others. top: bin of the receiver where the shifted
    /// column begins.
    kernels::ColumnTaps taps(const ReceiverGrid& grid,
                             const Column& column,
                             int top,
                             int row) const;

    SurfacePoint spread_, offset_;
    double power_ = 0.0;
    std::vector<View> views_;
    std::vector<Column> columns_;
    /// Light above the edges between rows, as shares of the column's in steps, column by column.
    /// Above the column there are zeros, below it all steps, as many as shifted cells may reach. Of
    /// a column first the edges at the first place in a cell, then those at the second: what is
    /// added together lies side by side.
    std::vector<uint16_t> sums_;
};

}  // namespace helioray::aiming
