// SPDX-License-Identifier: MIT
// Discretises the unrolled surface of a target for the optimiser: cells carry the limits, and finer
// bins on a larger surface store the images of heliostats.
#pragma once

#include "raytracer/tracing/geometry/aiming.h"
#include "raytracer/tracing/job/result.h"
#include "scenario/types/run_config.h"
#include "scenario/types/types.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace helioray::aiming {

/// Maximum number of cells along each side of a receiver.
inline constexpr int kMostCells = 64;
/// Number of cells on all surfaces of receivers, unless these have fewer pixels.
inline constexpr int kMostSurfaceCells = 2048;
/// Maximum number of shield cells beyond each edge of a receiver.
inline constexpr int kMostCellsBeyond = 2 * kMostCells;

/// Point on the unrolled surface of a target, metres from its centre as seen by an observer who
/// faces it.
struct SurfacePoint {
    double x = 0.0;  ///< Position to the right
    double y = 0.0;  ///< Position upwards
};

/// Number of pixels by which a shield extends beyond each edge of the target.
struct PixelsBeyond {
    int64_t across = 0;  ///< Columns on the left, and as many on the right
    int64_t down = 0;    ///< Rows above, and as many below
};

/// Cells of one target and its shield, numbered column by column, each column from the top down.
struct ReceiverGrid {
    size_t target = 0;       ///< Index in Scenario::targets
    double width = 0.0;      ///< Width of all columns on the unrolled surface, metres
    double height = 0.0;     ///< Height of all rows, metres
    int columns = 1;         ///< Number of cell columns
    int rows = 1;            ///< Number of cell rows
    int columns_beyond = 0;  ///< Columns that belong to the shield, beside each edge of the target
    int rows_beyond = 0;     ///< Rows that belong to the shield, above and below the target
    /// Number of bins along each side of a cell, a power of two. If aim points do not move
    /// horizontally, a cell has one bin across.
    int bins = 1;
    /// True if aim points move horizontally as well as vertically, which holds for every shape but
    /// a full cylinder.
    bool free_x = false;
    /// True for a surface of a receiver. Images of all heliostats that aim at receivers bring light
    /// to all such surfaces (LatticeImage).
    bool is_surface = false;
    int margin = 0;  ///< Cells above the first and below the last row that images reach
    /// Cells beside the outermost columns that images reach; 0 without free_x
    int margin_across = 0;
    size_t first_cell = 0;  ///< Index of the grid's first cell among the cells of all targets
    /// Fraction of each cell's area on which light counts: below 1 for cells cut by an outline, 0
    /// beyond the target's edges.
    std::vector<double> lit_share;

    /// Returns the number of cells of the target and its shield.
    size_t num_cells() const { return static_cast<size_t>(columns) * static_cast<size_t>(rows); }
    /// Returns the width of a cell, metres.
    double cell_width() const { return width / columns; }
    /// Returns the height of a cell, metres.
    double cell_height() const { return height / rows; }
    /// Returns the width of the target without its shield, metres.
    double target_width() const { return width - 2.0 * columns_beyond * cell_width(); }
    /// Returns the height of the target without its shield, metres.
    double target_height() const { return height - 2.0 * rows_beyond * cell_height(); }
    /// Returns the area of a cell, m2.
    double cell_area() const { return cell_width() * cell_height(); }
    /// Returns the width of a bin, metres.
    double bin_width() const { return cell_width() / (free_x ? bins : 1); }
    /// Returns the height of a bin, metres.
    double bin_height() const { return cell_height() / bins; }
    /// Returns the index of the cell within this grid.
    size_t cell(int column, int row) const {
        return static_cast<size_t>(column) * static_cast<size_t>(rows) + static_cast<size_t>(row);
    }
    /// Returns true if the cell lies beyond the target's edges.
    bool is_beyond(int column, int row) const {
        return column < columns_beyond || column >= columns - columns_beyond || row < rows_beyond ||
               row >= rows - rows_beyond;
    }
    /// Returns the cell that contains the centre of a pixel. Pixels are counted from the upper left
    /// corner of the target's bitmap; pixels of the shield have negative numbers or numbers beyond
    /// the bitmap. Returns nullopt for pixels outside of the grid.
    std::optional<size_t> cell_of_pixel(int64_t column,
                                        int64_t row,
                                        const BitmapConfig& bitmap) const;
};

/// Makes the cells for a bitmap: one per pixel, or at most kMostCells along each side of larger
/// bitmaps. margin: distance by which images may extend beyond the target's edges, metres. The
/// cells cover the shield, but do not extend further than the images.
ReceiverGrid make_grid(const Target& target,
                       size_t index,
                       const TargetConfig& extras,
                       const BitmapConfig& bitmap,
                       double margin,
                       const PixelsBeyond& beyond = {});

/// Makes the cells of surfaces of receivers, all in as many columns and rows: one for each pixel of
/// the bitmap, or about kMostSurfaceCells on all surfaces if there are more pixels. indices:
/// indices of the surfaces in `targets`. first_cell: index of the first cell of the first surface.
std::vector<ReceiverGrid> make_surface_grids(const std::vector<Target>& targets,
                                             const std::vector<size_t>& indices,
                                             const BitmapConfig& bitmap,
                                             size_t first_cell);

/// Returns the distance by which a target's surface can grow beside each edge, metres. A cylinder
/// can grow until it closes.
double room_beside(const Target& target);

/// Returns true if light counts at this point of a target's unrolled surface: within the edges, on
/// a disc within its rim, and within an outline.
bool is_lit(const Target& target, const TargetConfig& extras, const SurfacePoint& point);

/// Returns a target with the same centre whose unrolled surface has this size (metres). A disc
/// becomes a rectangle.
Target enlarged_target(const Target& target, double width, double height);

/// Returns the position on the unrolled surface of a point (metres, ENU) on or near a target.
SurfacePoint unrolled(const Target& target, const Vec3& point);

/// Returns the nearest point on the target's unrolled surface.
SurfacePoint on_surface(const Target& target, SurfacePoint point);

}  // namespace helioray::aiming
