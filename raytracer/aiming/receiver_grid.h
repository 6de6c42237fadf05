// SPDX-License-Identifier: MIT
// The unrolled surface of a target as the optimiser sees it: cells with limits, and finer bins on a
// surface that reaches beyond the target, in which the images of heliostats are kept.
#pragma once

#include "raytracer/geometry/aiming.h"
#include "raytracer/job/result.h"
#include "scenario/run_config.h"
#include "scenario/types.h"

#include <array>
#include <cstddef>
#include <vector>

namespace helioray::aiming {

/// Cells along either side of a receiver.
inline constexpr int kMostCells = 64;

/// A point of a target's unrolled surface, metres from its centre as an observer facing it sees it.
struct SurfacePoint {
    double x = 0.0;  ///< to the right
    double y = 0.0;  ///< up
};

/// Cells of one target. They are numbered column by column, each from the top down.
struct ReceiverGrid {
    size_t target = 0;    ///< index in Scenario::targets
    double width = 0.0;   ///< metres, of the unrolled surface
    double height = 0.0;  ///< metres
    int columns = 1;      ///< of cells across the target
    int rows = 1;         ///< of cells down the target
    /// Along either side of a cell, a power of two; across fixed columns there is one.
    int bins = 1;
    /// Aim points also move across, not only up and down: on everything but a full cylinder.
    bool free_x = false;
    int margin = 0;         ///< cells beyond the upper and lower edge that images reach
    int margin_across = 0;  ///< the same beyond the other edges; 0 without free_x
    size_t first_cell = 0;  ///< place of the grid's first cell among those of all targets
    /// Share of each cell's area on which light counts: below 1 where an outline cuts it.
    std::vector<double> lit_share;

    size_t num_cells() const { return static_cast<size_t>(columns) * static_cast<size_t>(rows); }
    double cell_width() const { return width / columns; }
    double cell_height() const { return height / rows; }
    double cell_area() const { return cell_width() * cell_height(); }
    /// Metres of a bin: across, down.
    double bin_width() const { return cell_width() / (free_x ? bins : 1); }
    double bin_height() const { return cell_height() / bins; }
    /// Place of the cell among those of the target.
    size_t cell(int column, int row) const {
        return static_cast<size_t>(column) * static_cast<size_t>(rows) + static_cast<size_t>(row);
    }
    /// The cell that holds the centre of a pixel of the bitmap.
    size_t cell_of_pixel(int64_t column, int64_t row, const BitmapConfig& bitmap) const;
};

/// Cells for a bitmap: its pixels, or at most `most_cells` along either side where it has more.
/// Images may reach `margin` metres beyond the edges.
ReceiverGrid make_grid(const Target& target,
                       size_t index,
                       const TargetConfig& extras,
                       const BitmapConfig& bitmap,
                       double margin);

/// The target, enlarged by the grid's margins: without outline, a disc as the square around it.
Target enlarged_target(const Target& target, const ReceiverGrid& grid);

/// Where a point (metres, ENU) of a target's surface, or near it, is on the unrolled surface.
SurfacePoint unrolled(const Target& target, const Vec3& point);

/// The nearest point of the target's unrolled surface.
SurfacePoint on_surface(const Target& target, SurfacePoint point);

}  // namespace helioray::aiming
