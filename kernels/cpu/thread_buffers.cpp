// SPDX-License-Identifier: MIT
// Bitmaps of one thread.
#include "kernels/cpu/thread_buffers.h"

#include "kernels/core/assert.h"
#include "kernels/core/out_of_memory.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace helioray::kernels {

namespace {

void make_zero(std::vector<int64_t>& pixels, int64_t count) {
    const auto size = static_cast<size_t>(count);
    with_size(size * sizeof(int64_t), [&] { pixels.assign(size, 0); });
}

Tile empty_tile(std::vector<int64_t>& pixels) {
    return {pixels.data(), std::numeric_limits<int32_t>::max(), -1};
}

}  // namespace

ThreadBuffers::ThreadBuffers(const FieldView& field, AddTiles* add_tiles, Wanted wanted)
    : add_tiles_(add_tiles),
      wanted_(wanted),
      num_pixels_(static_cast<int64_t>(field.bitmap_width) * field.bitmap_height),
      targets_(static_cast<size_t>(field.num_targets)) {
    for (int i = 0; i < 2; ++i) {
        if (wanted_ != Wanted::flux) make_zero(pixels_[i], num_pixels_);
        halves_[i] = empty_tile(pixels_[i]);
    }
}

ThreadBuffers::TargetSums& ThreadBuffers::find_sums(int32_t target) {
    HELIORAY_ASSERT(target >= 0 && static_cast<size_t>(target) < targets_.size(),
                    "a unit's target is the field's");
    TargetSums& sums = targets_[static_cast<size_t>(target)];
    if (sums.flux.empty()) {
        make_zero(sums.flux, num_pixels_);
        if (wanted_ != Wanted::flux) make_zero(sums.square, num_pixels_);
        if (wanted_ == Wanted::signed_parts) make_zero(sums.difference, num_pixels_);
    }
    return sums;
}

Tile* ThreadBuffers::halves(int32_t target) {
    if (wanted_ == Wanted::flux) {
        // Sums of integers do not depend on their order. With 2,000 heliostats of few rays, flushes
        // of 256 x 256 pixels took as long as tracing.
        for (Tile& half : halves_) half.pixels = find_sums(target).flux.data();
    }
    return halves_;
}

void ThreadBuffers::flush(int32_t target, double square_scale, int64_t* heliostat_flux) {
    const int64_t first = std::min(halves_[0].first, halves_[1].first);
    const int64_t last = std::max(halves_[0].last, halves_[1].last);
    if (first > last) return;
    HELIORAY_ASSERT(first >= 0 && last < num_pixels_, "touched pixels are part of the bitmap");
    TargetSums& sums = find_sums(target);
    sums.first = std::min(sums.first, first);
    sums.last = std::max(sums.last, last);
    if (wanted_ != Wanted::flux) {
        int64_t* a = halves_[0].pixels + first;
        int64_t* b = halves_[1].pixels + first;
        const int64_t count = last - first + 1;
        if (heliostat_flux != nullptr) {
            // Pairs of the heliostat may run on other threads.
            for (int64_t p = 0; p < count; ++p) {
                if ((a[p] | b[p]) == 0) continue;
                __atomic_fetch_add(heliostat_flux + first + p, a[p] + b[p], __ATOMIC_RELAXED);
            }
        }
        add_tiles_(a,
                   b,
                   count,
                   square_scale,
                   sums.flux.data() + first,
                   sums.square.data() + first,
                   sums.difference.empty() ? nullptr : sums.difference.data() + first);
    }
    for (Tile& half : halves_) {
        half.first = std::numeric_limits<int32_t>::max();
        half.last = -1;
    }
}

void ThreadBuffers::end_heliostat(int64_t* heliostat_flux) {
    for (int half = 0; half < 2; ++half) {
        if (unit_pixels_[half].empty()) {
            make_zero(unit_pixels_[half], num_pixels_);
            unit_halves_[half] = empty_tile(unit_pixels_[half]);
        }
        Tile& from = halves_[half];
        Tile& to = unit_halves_[half];
        for (int64_t p = from.first; p <= from.last; ++p) {
            const int64_t quanta = std::exchange(from.pixels[p], 0);
            if (quanta == 0) continue;
            to.pixels[p] += quanta;
            // Other pairs of the heliostat may run on other threads.
            __atomic_fetch_add(heliostat_flux + p, quanta, __ATOMIC_RELAXED);
        }
        to.first = std::min(to.first, from.first);
        to.last = std::max(to.last, from.last);
        from.first = std::numeric_limits<int32_t>::max();
        from.last = -1;
    }
}

void ThreadBuffers::flush_unit(int32_t target, double square_scale) {
    // Both pairs of bitmaps are empty after the flush.
    std::swap(halves_, unit_halves_);
    flush(target, square_scale, nullptr);
}

ThreadBuffers::View ThreadBuffers::sums(int32_t target) const {
    const TargetSums& sums = targets_[static_cast<size_t>(target)];
    return {sums.flux.data(), sums.square.data(), sums.first, sums.last};
}

void ThreadBuffers::clear(int32_t target) {
    TargetSums& sums = targets_[static_cast<size_t>(target)];
    for (std::vector<int64_t>* pixels : {&sums.flux, &sums.square, &sums.difference}) {
        if (sums.first <= sums.last && !pixels->empty())
            std::fill(pixels->begin() + sums.first, pixels->begin() + sums.last + 1, 0);
    }
    sums.first = std::numeric_limits<int64_t>::max();
    sums.last = -1;
}

void ThreadBuffers::merge_into(const SumsView& sums) const {
    for (size_t t = 0; t < targets_.size(); ++t) {
        const TargetSums& own = targets_[t];
        const auto add = [&](const std::vector<int64_t>& pixels, int64_t* maps) {
            int64_t* map = maps + static_cast<int64_t>(t) * num_pixels_;
            for (int64_t p = own.first; p <= own.last; ++p)
                map[p] += pixels[static_cast<size_t>(p)];
        };
        add(own.flux, sums.flux);
        if (sums.flux_square != nullptr) add(own.square, sums.flux_square);
        if (sums.flux_difference != nullptr) add(own.difference, sums.flux_difference);
    }
}

}  // namespace helioray::kernels
