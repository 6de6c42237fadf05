// SPDX-License-Identifier: MIT
// The image of one heliostat, and the flux that it makes once its aim point has moved.
#pragma once

#include "raytracer/aiming/receiver_grid.h"

#include <span>
#include <vector>

namespace helioray::aiming {

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
    Value weighted(const ReceiverGrid& grid,
                   SurfacePoint aim,
                   std::span<const double> factors) const;

    /// The best of all aim points of a rectangle for the same sum.
    struct Best {
        double bound = 0.0;  ///< no aim point brings more
        double value = 0.0;  ///< at the point below
        SurfacePoint aim;
    };
    Best best(const ReceiverGrid& grid,
              SurfacePoint low,
              SurfacePoint high,
              std::span<const double> factors) const;

  private:
    /// Bins of one column, from the top down.
    struct Column {
        int index = 0;      ///< in bins across, from the receiver's left edge
        int first_row = 0;  ///< in bins down, from the receiver's top edge
        int rows = 0;
        int length = 0;    ///< of each of its lists of sums
        size_t begin = 0;  ///< of its sums in sums_
    };

    struct Taps;

    SurfacePoint aim_;
    SurfacePoint spread_, offset_;
    double power_ = 0.0;
    std::vector<Column> columns_;
    /// W above the edges between rows, column by column. Edges a cell apart lie side by side: first
    /// every bins-th one, then those that follow them, ... Above the column there are zeros, below
    /// it totals, as many as shifted cells may reach.
    std::vector<float> sums_;
};

}  // namespace helioray::aiming
