// SPDX-License-Identifier: MIT
// The bitmaps of one thread: two half tiles for the unit under way, and its sums per target; or the
// sums alone, where rays are added to them at once.
#pragma once

#include "kernels/core/trace_types.h"
#include "kernels/cpu/set_functions.h"

#include <cstdint>
#include <limits>
#include <vector>

namespace helioray::kernels {

class ThreadBuffers {
  public:
    /// What is asked for besides the flux of each target.
    enum class Wanted {
        flux,            ///< nothing: rays of a unit are added to the target's sums at once
        parts_of_units,  ///< squares of the differences of halves, or maps of heliostats
    };

    /// add_tiles: unused for Wanted::flux.
    ThreadBuffers(const FieldView& field, AddTiles* add_tiles, Wanted wanted);

    /// Both halves of a unit of this target. Flushed units leave them empty; for Wanted::flux both
    /// are the sums of the target.
    Tile* halves(int32_t target);

    /// Adds both halves to the thread's sums of the target, and to a heliostat's map unless it is
    /// null; clears them. For Wanted::flux only notes which pixels were touched.
    void flush(int32_t target, double square_scale, int64_t* heliostat_flux);

    /// Ends one heliostat of a unit of several: adds both halves to its map, and moves them to
    /// those of the unit, which the next flush_unit() takes. The halves are empty then.
    void end_heliostat(int64_t* heliostat_flux);

    /// Flushes what end_heliostat() has moved, as one unit.
    void flush_unit(int32_t target, double square_scale);

    /// Sums of a target since they were last cleared, and the pixels that can be other than 0.
    struct View {
        const int64_t* flux;
        const int64_t* square;
        int64_t first, last;  ///< none where last < first
    };
    View sums(int32_t target) const;
    void clear(int32_t target);

    /// Adds the thread's sums to the global ones, squares where there is a place for them. The
    /// caller keeps other threads out.
    void merge_into(const SumsView& sums) const;

  private:
    /// Allocated when the first unit of the target comes along.
    struct TargetSums {
        std::vector<int64_t> flux;
        std::vector<int64_t> square;  ///< empty for Wanted::flux
        int64_t first = std::numeric_limits<int64_t>::max();
        int64_t last = -1;
    };

    TargetSums& sums_of(int32_t target);

    AddTiles* add_tiles_;
    Wanted wanted_;
    int64_t num_pixels_;
    std::vector<int64_t> pixels_[2];
    Tile halves_[2];
    std::vector<int64_t> unit_pixels_[2];  ///< allocated by the first end_heliostat()
    Tile unit_halves_[2];                  ///< of the heliostats of a unit that have ended
    std::vector<TargetSums> targets_;
};

}  // namespace helioray::kernels
