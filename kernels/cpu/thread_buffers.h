// SPDX-License-Identifier: MIT
// Bitmaps of one thread: two half tiles for the current unit, and sums per target; or only the
// sums, if rays are added to them directly. The maps of all surfaces of receivers are one tile.
#pragma once

#include "kernels/core/trace_types.h"
#include "kernels/cpu/set_functions.h"

#include <cstdint>
#include <limits>
#include <vector>

namespace helioray::kernels {

class ThreadBuffers {
  public:
    /// Requested results besides the flux of each target.
    enum class Wanted {
        flux,            ///< flux only: rays of a unit are added directly to the target's sums
        parts_of_units,  ///< squares of the differences of halves, or maps of heliostats
        signed_parts,    ///< the same, and the differences themselves
    };

    /// Creates the buffers. add_tiles: unused for Wanted::flux.
    ThreadBuffers(const FieldView& field, AddTiles* add_tiles, Wanted wanted);

    /// Returns both halves for a unit of this target, which are empty after flush(). For
    /// Wanted::flux both are the sums of the target.
    Tile* halves(int32_t target);

    /// Adds both halves to the thread's sums of the target, and to a heliostat's map unless it is
    /// null, and clears them. For Wanted::flux it only records the touched pixels.
    void flush(int32_t target, double square_scale, int64_t* heliostat_flux);

    /// Ends one heliostat of a unit of several: adds both halves to its map, and moves them to
    /// those of the unit, which the next flush_unit() takes. The halves are empty then.
    void end_heliostat(int32_t target, int64_t* heliostat_flux);

    /// Flushes what end_heliostat() has moved, as one unit.
    void flush_unit(int32_t target, double square_scale);

    /// Sums of a target since they were last cleared, with the range of pixels that may be
    /// non-zero; for a surface of a receiver the maps of all surfaces, in the order of
    /// FieldView::surfaces.
    struct View {
        const int64_t* flux;
        const int64_t* square;
        int64_t first, last;            ///< range of pixels; empty if last < first
        const int64_t* surface_square;  ///< see SumsView::surface_square, by map of a tile
    };
    View sums(int32_t target) const;
    /// Clears the sums of a target, and the squares of surfaces' powers.
    void clear(int32_t target);

    /// Adds the thread's sums to the global ones, squares and differences if they have a
    /// destination. The caller must exclude other threads.
    void merge_into(const SumsView& sums) const;

  private:
    /// Sums of a target, or of all surfaces of receivers, allocated for the first unit.
    struct TargetSums {
        std::vector<int64_t> flux;
        std::vector<int64_t> square;      ///< empty for Wanted::flux
        std::vector<int64_t> difference;  ///< empty except for Wanted::signed_parts
        int64_t first = std::numeric_limits<int64_t>::max();
        int64_t last = -1;
    };

    /// Returns the row of targets_ for a target; the surfaces of all receivers share the last one.
    size_t row(int32_t target) const;
    Tile empty_tile(std::vector<int64_t>& pixels);
    TargetSums& find_sums(size_t row);
    /// Calls function(target, first, last, offset) for the touched pixels [first, last] of every
    /// map of a tile, whose pixels begin at `offset` of the tile.
    template <typename Function>
    void for_each_map(int32_t target, int64_t first, int64_t last, const Function& function) const;
    /// Returns the sum of the differences of both halves.
    int64_t flush_pixels(TargetSums& sums,
                         int64_t first,
                         int64_t last,
                         double square_scale,
                         int64_t* heliostat_flux);

    AddTiles* add_tiles_;
    Wanted wanted_;
    int64_t num_pixels_;                    ///< pixels of a map
    std::vector<int32_t> surface_maps_;     ///< see surface_maps()
    int64_t tile_pixels_;                   ///< pixels of the largest tile
    std::vector<uint8_t> is_surface_;       ///< by map: it is that of a surface of a receiver
    std::vector<uint8_t> touched_;          ///< see Tile::surfaces
    std::vector<int64_t> surface_squares_;  ///< see SumsView::surface_square, by map of a tile
    std::vector<int64_t> pixels_[2];
    Tile halves_[2];
    std::vector<int64_t> unit_pixels_[2];  ///< allocated by the first end_heliostat()
    Tile unit_halves_[2];                  ///< light of the finished heliostats of a unit
    std::vector<TargetSums> targets_;
};

}  // namespace helioray::kernels
