// SPDX-License-Identifier: MIT
// The bitmaps of one thread.
#include "kernels/cpu/thread_buffers.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace helioray::kernels {

ThreadBuffers::ThreadBuffers(const FieldView& field)
    : num_pixels_(static_cast<int64_t>(field.bitmap_width) * field.bitmap_height),
      targets_(static_cast<size_t>(field.num_targets)) {
    for (int i = 0; i < 2; ++i) {
        pixels_[i].assign(static_cast<size_t>(num_pixels_), 0);
        halves_[i] = {pixels_[i].data(), std::numeric_limits<int32_t>::max(), -1};
    }
}

void ThreadBuffers::flush(int32_t target, double square_scale, int64_t* heliostat_flux) {
    const int64_t first = std::min(halves_[0].first, halves_[1].first);
    const int64_t last = std::max(halves_[0].last, halves_[1].last);
    if (first > last) return;
    TargetSums& sums = targets_[static_cast<size_t>(target)];
    if (sums.flux.empty()) {
        sums.flux.assign(static_cast<size_t>(num_pixels_), 0);
        sums.square.assign(static_cast<size_t>(num_pixels_), 0);
    }
    int64_t* a = halves_[0].pixels;
    int64_t* b = halves_[1].pixels;
    for (int64_t p = first; p <= last; ++p) {
        if ((a[p] | b[p]) == 0) continue;
        sums.flux[static_cast<size_t>(p)] += a[p] + b[p];
        const auto difference = static_cast<double>(a[p] - b[p]);
        sums.square[static_cast<size_t>(p)] +=
            std::llrint(square_scale * (difference * difference));
        // Units with one heliostat only have such a map to themselves on this thread, but pairs may
        // run elsewhere.
        if (heliostat_flux != nullptr)
            __atomic_fetch_add(heliostat_flux + p, a[p] + b[p], __ATOMIC_RELAXED);
        a[p] = 0;
        b[p] = 0;
    }
    for (Tile& half : halves_) {
        half.first = std::numeric_limits<int32_t>::max();
        half.last = -1;
    }
}

void ThreadBuffers::merge_into(const SumsView& sums) const {
    for (size_t t = 0; t < targets_.size(); ++t) {
        if (targets_[t].flux.empty()) continue;
        int64_t* flux = sums.flux + static_cast<int64_t>(t) * num_pixels_;
        int64_t* square = sums.flux_square + static_cast<int64_t>(t) * num_pixels_;
        for (int64_t p = 0; p < num_pixels_; ++p) {
            flux[p] += targets_[t].flux[static_cast<size_t>(p)];
            square[p] += targets_[t].square[static_cast<size_t>(p)];
        }
    }
}

}  // namespace helioray::kernels
