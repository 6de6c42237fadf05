// SPDX-License-Identifier: MIT
// Bitmaps of one thread.
#include "kernels/cpu/thread_buffers.h"

#include "kernels/core/assert.h"
#include "kernels/core/out_of_memory.h"
#include "kernels/core/scalar.h"
#include "kernels/core/sums_layout.h"

#include <sys/mman.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace helioray::kernels {

namespace {

/// Size of a tile, in bytes, that is large compared with the caches of a core.
constexpr size_t kLargeTile = size_t{2} << 20;

bool is_large(size_t num_pixels) {
    return num_pixels * sizeof(int64_t) >= kLargeTile;
}
/// Asks for large pages, which rays that fall anywhere on 20 MB of maps find faster.
void use_large_pages([[maybe_unused]] void* begin, [[maybe_unused]] size_t size) {
#if defined(MADV_HUGEPAGE)
    constexpr uintptr_t kPage = 4096;
    const auto first = (reinterpret_cast<uintptr_t>(begin) + kPage - 1) / kPage * kPage;
    const auto end = (reinterpret_cast<uintptr_t>(begin) + size) / kPage * kPage;
    // Systems without large pages refuse, which only costs time.
    if (first < end) madvise(reinterpret_cast<void*>(first), end - first, MADV_HUGEPAGE);
#endif
}

void make_zero(std::vector<int64_t>& pixels, int64_t count) {
    const auto size = static_cast<size_t>(count);
    with_size(size * sizeof(int64_t), [&] {
        pixels.reserve(size);
        if (is_large(size)) use_large_pages(pixels.data(), size * sizeof(int64_t));
        pixels.assign(size, 0);
    });
}

}  // namespace

ThreadBuffers::ThreadBuffers(const FieldView& field, AddTiles* add_tiles, Wanted wanted)
    : add_tiles_(add_tiles),
      wanted_(wanted),
      num_pixels_(static_cast<int64_t>(field.bitmap_width) * field.bitmap_height),
      surface_maps_(surface_maps(field)),
      tile_pixels_(num_pixels_ * std::max<int64_t>(1, std::ssize(surface_maps_))),
      is_surface_(static_cast<size_t>(field.num_targets), 0),
      touched_(surface_maps_.size(), 0),
      surface_squares_(touched_.size(), 0) {
    for (const int32_t map : surface_maps_) {
        const auto index = static_cast<size_t>(map);
        if (index >= is_surface_.size()) is_surface_.resize(index + 1, 0);
        is_surface_[index] = 1;
    }
    targets_.resize(is_surface_.size() + 1);
    for (int i = 0; i < 2; ++i) {
        if (wanted_ != Wanted::flux) make_zero(pixels_[i], tile_pixels_);
        halves_[i] = empty_tile(pixels_[i]);
    }
}

Tile ThreadBuffers::empty_tile(std::vector<int64_t>& pixels) {
    return {pixels.data(),
            std::numeric_limits<int32_t>::max(),
            -1,
            touched_.data(),
            is_large(pixels.size())};
}

size_t ThreadBuffers::row(int32_t target) const {
    HELIORAY_ASSERT(target >= 0 && static_cast<size_t>(target) < is_surface_.size(),
                    "a unit's target is the field's");
    const auto index = static_cast<size_t>(target);
    return is_surface_[index] != 0 ? is_surface_.size() : index;
}

ThreadBuffers::TargetSums& ThreadBuffers::find_sums(size_t row) {
    TargetSums& sums = targets_[row];
    if (sums.flux.empty()) {
        const int64_t count = row == is_surface_.size() ? tile_pixels_ : num_pixels_;
        make_zero(sums.flux, count);
        if (wanted_ != Wanted::flux) make_zero(sums.square, count);
        if (wanted_ == Wanted::signed_parts) make_zero(sums.difference, count);
    }
    return sums;
}

Tile* ThreadBuffers::halves(int32_t target) {
    if (wanted_ == Wanted::flux) {
        // Sums of integers do not depend on their order. With 2,000 heliostats of few rays, flushes
        // of 256 x 256 pixels took as long as tracing.
        for (Tile& half : halves_) half.pixels = find_sums(row(target)).flux.data();
    }
    return halves_;
}

template <typename Function>
void ThreadBuffers::for_each_map(int32_t target,
                                 int64_t first,
                                 int64_t last,
                                 const Function& function) const {
    if (is_surface_[static_cast<size_t>(target)] == 0) {
        function(target, first, last, int64_t{0});
        return;
    }
    for (size_t i = 0; i < surface_maps_.size(); ++i) {
        const int64_t offset = static_cast<int64_t>(i) * num_pixels_;
        const int64_t begin = std::max(first, offset);
        const int64_t end = std::min(last, offset + num_pixels_ - 1);
        if (touched_[i] != 0 && begin <= end) function(surface_maps_[i], begin, end, offset);
    }
}

int64_t ThreadBuffers::flush_pixels(
    TargetSums& sums, int64_t first, int64_t last, double square_scale, int64_t* heliostat_flux) {
    int64_t* a = halves_[0].pixels + first;
    int64_t* b = halves_[1].pixels + first;
    const int64_t count = last - first + 1;
    if (heliostat_flux != nullptr) {
        // Pairs of the heliostat may run on other threads.
        for (int64_t p = 0; p < count; ++p) {
            if ((a[p] | b[p]) == 0) continue;
            __atomic_fetch_add(heliostat_flux + p, a[p] + b[p], __ATOMIC_RELAXED);
        }
    }
    return add_tiles_(a,
                      b,
                      count,
                      square_scale,
                      sums.flux.data() + first,
                      sums.square.data() + first,
                      sums.difference.empty() ? nullptr : sums.difference.data() + first);
}

void ThreadBuffers::flush(int32_t target, double square_scale, int64_t* heliostat_flux) {
    const int64_t first = std::min(halves_[0].first, halves_[1].first);
    const int64_t last = std::max(halves_[0].last, halves_[1].last);
    if (first <= last) {
        HELIORAY_ASSERT(first >= 0 && last < tile_pixels_, "touched pixels are part of the bitmap");
        TargetSums& sums = find_sums(row(target));
        sums.first = std::min(sums.first, first);
        sums.last = std::max(sums.last, last);
        if (wanted_ != Wanted::flux) {
            for_each_map(
                target, first, last, [&](int32_t of, int64_t begin, int64_t end, int64_t offset) {
                    int64_t* const map = heliostat_flux == nullptr || of != target
                                             ? nullptr
                                             : heliostat_flux + begin - offset;
                    const int64_t difference = flush_pixels(sums, begin, end, square_scale, map);
                    if (is_surface_[static_cast<size_t>(of)] != 0) {
                        surface_squares_[static_cast<size_t>(offset / num_pixels_)] +=
                            scaled_square(difference, square_scale);
                    }
                });
        }
    }
    for (Tile& half : halves_) {
        half.first = std::numeric_limits<int32_t>::max();
        half.last = -1;
    }
    std::fill(touched_.begin(), touched_.end(), uint8_t{0});
}

void ThreadBuffers::end_heliostat(int32_t target, int64_t* heliostat_flux) {
    for (int half = 0; half < 2; ++half) {
        if (unit_pixels_[half].empty()) {
            make_zero(unit_pixels_[half], tile_pixels_);
            unit_halves_[half] = empty_tile(unit_pixels_[half]);
        }
        Tile& from = halves_[half];
        Tile& to = unit_halves_[half];
        for_each_map(target,
                     from.first,
                     from.last,
                     [&](int32_t of, int64_t begin, int64_t end, int64_t offset) {
                         for (int64_t p = begin; p <= end; ++p) {
                             const int64_t quanta = std::exchange(from.pixels[p], 0);
                             if (quanta == 0) continue;
                             to.pixels[p] += quanta;
                             if (of != target) continue;
                             // Other pairs of the heliostat may run on other threads.
                             __atomic_fetch_add(
                                 heliostat_flux + p - offset, quanta, __ATOMIC_RELAXED);
                         }
                     });
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
    const TargetSums& sums = targets_[row(target)];
    return {sums.flux.data(), sums.square.data(), sums.first, sums.last, surface_squares_.data()};
}

void ThreadBuffers::clear(int32_t target) {
    TargetSums& sums = targets_[row(target)];
    for (std::vector<int64_t>* pixels : {&sums.flux, &sums.square, &sums.difference}) {
        if (sums.first <= sums.last && !pixels->empty())
            std::fill(pixels->begin() + sums.first, pixels->begin() + sums.last + 1, 0);
    }
    sums.first = std::numeric_limits<int64_t>::max();
    sums.last = -1;
    std::fill(surface_squares_.begin(), surface_squares_.end(), 0);
}

void ThreadBuffers::merge_into(const SumsView& sums) const {
    for (size_t t = 0; t < targets_.size(); ++t) {
        const TargetSums& own = targets_[t];
        // Adds pixels [first, last] of the tile, whose first map is that of target `map`.
        const auto add_range = [&](int64_t first, int64_t last, int64_t map) {
            const auto add = [&](const std::vector<int64_t>& pixels, int64_t* maps) {
                for (int64_t p = first; p <= last; ++p)
                    maps[map * num_pixels_ + p] += pixels[static_cast<size_t>(p)];
            };
            add(own.flux, sums.flux);
            if (sums.flux_square != nullptr) add(own.square, sums.flux_square);
            if (sums.flux_difference != nullptr) add(own.difference, sums.flux_difference);
        };
        if (t < is_surface_.size()) {
            add_range(own.first, own.last, static_cast<int64_t>(t));
            continue;
        }
        for (size_t i = 0; i < surface_maps_.size(); ++i) {
            const int64_t offset = static_cast<int64_t>(i) * num_pixels_;
            add_range(std::max(own.first, offset),
                      std::min(own.last, offset + num_pixels_ - 1),
                      surface_maps_[i] - static_cast<int64_t>(i));
        }
    }
    if (sums.surface_square == nullptr) return;
    for (size_t i = 0; i < surface_maps_.size(); ++i)
        sums.surface_square[surface_maps_[i]] += surface_squares_[i];
}

}  // namespace helioray::kernels
