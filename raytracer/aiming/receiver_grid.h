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
#include <cstdint>
#include <optional>
#include <vector>

namespace helioray::aiming {

/// Cells along either side of a receiver.
inline constexpr int kMostCells = 64;
/// Cells of a shield beyond each edge of a receiver.
inline constexpr int kMostCellsBeyond = 2 * kMostCells;

/// A point of a target's unrolled surface, metres from its centre as an observer facing it sees it.
struct SurfacePoint {
    double x = 0.0;  ///< to the right
    double y = 0.0;  ///< up
};

/// Pixels of a target's bitmap that its shield has beyond each edge.
struct PixelsBeyond {
    int64_t across = 0;  ///< to the left, and to the right
    int64_t down = 0;    ///< above, and below
};

/// Cells of one target and of its shield. They are numbered column by column, each from the top
/// down.
struct ReceiverGrid {
    size_t target = 0;       ///< index in Scenario::targets
    double width = 0.0;      ///< metres, of all columns on the unrolled surface
    double height = 0.0;     ///< metres, of all rows
    int columns = 1;         ///< of cells across
    int rows = 1;            ///< of cells down
    int columns_beyond = 0;  ///< of these, cells of the shield beside each edge of the target
    int rows_beyond = 0;     ///< the same above and below
    /// Along either side of a cell, a power of two; across fixed columns there is one.
    int bins = 1;
    /// Aim points also move across, not only up and down: on everything but a full cylinder.
    bool free_x = false;
    int margin = 0;         ///< cells above the first and below the last row that images reach
    int margin_across = 0;  ///< the same beside the outermost columns; 0 without free_x
    size_t first_cell = 0;  ///< place of the grid's first cell among those of all targets
    /// Share of each cell's area on which light counts: below 1 where an outline cuts it, 0 beyond
    /// the target's edges.
    std::vector<double> lit_share;

    /// Cells of the target and of its shield.
    size_t num_cells() const { return static_cast<size_t>(columns) * static_cast<size_t>(rows); }
    /// Metres of a cell, across and down.
    double cell_width() const { return width / columns; }
    /// See cell_width().
    double cell_height() const { return height / rows; }
    /// Metres of the target alone.
    double target_width() const { return width - 2.0 * columns_beyond * cell_width(); }
    double target_height() const { return height - 2.0 * rows_beyond * cell_height(); }
    double cell_area() const { return cell_width() * cell_height(); }
    /// Metres of a bin: across, down.
    double bin_width() const { return cell_width() / (free_x ? bins : 1); }
    double bin_height() const { return cell_height() / bins; }
    /// Place of the cell among those of the target.
    size_t cell(int column, int row) const {
        return static_cast<size_t>(column) * static_cast<size_t>(rows) + static_cast<size_t>(row);
    }
    /// Whether the cell lies beyond the target's edges.
    bool is_beyond(int column, int row) const {
        return column < columns_beyond || column >= columns - columns_beyond || row < rows_beyond ||
               row >= rows - rows_beyond;
    }
    /// The cell that holds the centre of a pixel. Pixels are those of the target's bitmap, from its
    /// upper left corner; those of its shield have numbers below 0 or beyond the bitmap. Nothing
    /// where the grid does not reach.
    std::optional<size_t> cell_of_pixel(int64_t column,
                                        int64_t row,
                                        const BitmapConfig& bitmap) const;
};

/// Cells for a bitmap: its pixels, or at most kMostCells along either side where it has more.
/// Images may reach `margin` metres beyond the target's edges; cells go on as far as the shield
/// does, but no further than images.
ReceiverGrid make_grid(const Target& target,
                       size_t index,
                       const TargetConfig& extras,
                       const BitmapConfig& bitmap,
                       double margin,
                       const PixelsBeyond& beyond = {});

/// Metres by which a target's surface can grow beside each edge: a cylinder ends where it closes.
double room_beside(const Target& target);

/// Whether light counts at a point of a target's unrolled surface: within its edges, on a disc and
/// within an outline.
bool is_lit(const Target& target, const TargetConfig& extras, const SurfacePoint& point);

/// The target with an unrolled surface of this size (metres) about the same centre; a disc becomes
/// a rectangle.
Target enlarged_target(const Target& target, double width, double height);

/// Where a point (metres, ENU) of a target's surface, or near it, is on the unrolled surface.
SurfacePoint unrolled(const Target& target, const Vec3& point);

/// The nearest point of the target's unrolled surface.
SurfacePoint on_surface(const Target& target, SurfacePoint point);

}  // namespace helioray::aiming
