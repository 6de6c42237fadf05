// SPDX-License-Identifier: MIT
// The image of one heliostat, and the flux that it makes once its aim point has moved.
#pragma once

#include "kernels/core/column_sums.h"
#include "raytracer/aiming/receiver_grid.h"

#include <cstdint>
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

/// Power in the bins of a receiver's grid, from one aim point. Moved with the aim point, the light
/// of every bin is spread linearly over its neighbours, so that the power in a cell and its
/// derivative are continuous functions of the aim point: the weights are those of quadratic
/// B-splines.
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

    /// The aim point that the light comes from.
    SurfacePoint aim() const { return aim_; }
    /// W of the whole image, beyond the receiver's edges too.
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

    SurfacePoint aim_;
    SurfacePoint spread_, offset_;
    double power_ = 0.0;
    std::vector<Column> columns_;
    /// Light above the edges between rows, as shares of the column's in steps, column by column.
    /// Above the column there are zeros, below it all steps, as many as shifted cells may reach. Of
    /// a column first the edges at the first place in a cell, then those at the second: what is
    /// added together lies side by side.
    std::vector<uint16_t> sums_;
};

}  // namespace helioray::aiming
