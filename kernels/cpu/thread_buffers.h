// SPDX-License-Identifier: MIT
// The bitmaps of one thread: two half tiles for the unit under way, and its sums per target.
#pragma once

#include "kernels/core/trace_types.h"
#include "kernels/cpu/set_functions.h"

#include <cstdint>
#include <limits>
#include <vector>

namespace helioray::kernels {

class ThreadBuffers {
  public:
    ThreadBuffers(const FieldView& field, AddTiles* add_tiles);

    /// Both halves of the unit under way; empty after flush().
    Tile* halves() { return halves_; }

    /// Adds both halves to the thread's sums of the target, and to a heliostat's map unless it is
    /// null; clears them.
    void flush(int32_t target, double square_scale, int64_t* heliostat_flux);

    /// Sums of a target since they were last cleared, and the pixels that can be other than 0.
    struct View {
        const int64_t* flux;
        const int64_t* square;
        int64_t first, last;  ///< none where last < first
    };
    View sums(int32_t target) const;
    void clear(int32_t target);

    /// Adds the thread's sums to the global ones. The caller keeps other threads out.
    void merge_into(const SumsView& sums) const;

  private:
    /// Allocated when the first unit of the target comes along.
    struct TargetSums {
        std::vector<int64_t> flux;
        std::vector<int64_t> square;
        int64_t first = std::numeric_limits<int64_t>::max();
        int64_t last = -1;
    };

    AddTiles* add_tiles_;
    int64_t num_pixels_;
    std::vector<int64_t> pixels_[2];
    Tile halves_[2];
    std::vector<TargetSums> targets_;
};

}  // namespace helioray::kernels
