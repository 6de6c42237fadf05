// SPDX-License-Identifier: MIT
// Work units of a field.
#include "raytracer/physical/plan.h"

#include <algorithm>
#include <bit>

namespace helioray::physical {

namespace {

// Pairs below this number make the estimated standard errors themselves too uncertain (relative
// error 1 / sqrt(2 pairs)).
constexpr int64_t kMinPairs = 4;
constexpr int64_t kUsualPairs = 16;
// Blocks of about this size keep the flush of a bitmap small beside the rays; larger ones would
// make units too coarse.
constexpr int64_t kSmallBlock = 31'250;
constexpr int64_t kLargeBlock = 500'000;
// Sharing units between heliostats must leave this many units for ranks and threads.
constexpr int64_t kWantedUnits = 1024;

int64_t divide_up(int64_t a, int64_t b) {
    return (a + b - 1) / b;
}

int64_t choose_pairs(int64_t rays) {
    const auto power_of_two = [](int64_t n) {
        return static_cast<int64_t>(std::bit_ceil(static_cast<uint64_t>(std::max<int64_t>(n, 1))));
    };
    const int64_t by_small = power_of_two(rays / (2 * kSmallBlock));
    const int64_t by_large = power_of_two(divide_up(rays, 2 * kLargeBlock));
    return std::max(std::clamp(by_small, kMinPairs, kUsualPairs), by_large);
}

}  // namespace

Plan make_plan(const std::vector<int32_t>& targets,
               int64_t requested_rays,
               int64_t num_pixels,
               bool separate_heliostats) {
    Plan plan;
    plan.pairs = choose_pairs(requested_rays);
    plan.rays_per_block = divide_up(requested_rays, 2 * plan.pairs);
    plan.rays_per_heliostat = 2 * plan.pairs * plan.rays_per_block;

    const auto num_heliostats = static_cast<int64_t>(targets.size());
    // Enough rays per unit that adding up its two half bitmaps costs little beside tracing.
    const int64_t by_flush = divide_up(num_pixels, plan.rays_per_block);
    const int64_t by_units = std::max<int64_t>(1, num_heliostats * plan.pairs / kWantedUnits);
    const int64_t by_size = std::max<int64_t>(1, kLargeBlock / plan.rays_per_block);
    const int64_t group = separate_heliostats ? 1 : std::min({by_flush, by_units, by_size});

    for (int64_t first = 0; first < num_heliostats;) {
        int64_t end = first + 1;
        while (end < num_heliostats && end - first < group && targets[end] == targets[first]) ++end;
        for (int64_t pair = 0; pair < plan.pairs; ++pair) {
            plan.units.push_back({static_cast<int32_t>(first),
                                  static_cast<int32_t>(end - first),
                                  targets[first],
                                  static_cast<int32_t>(pair),
                                  plan.rays_per_block});
        }
        first = end;
    }
    return plan;
}

}  // namespace helioray::physical
