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
// Rays are traced in bundles of 32, and an unfilled bundle costs as much as a full one: where less
// than this percentage of a run's bundles would be filled, rays are added until all are.
constexpr int64_t kWellFilled = 90;
// Blocks of about this size keep the flush of a bitmap small beside the rays; larger ones would
// make units too coarse.
constexpr int64_t kSmallBlock = 31'250;
constexpr int64_t kLargeBlock = 500'000;
// Plans of more units than about this only cost memory: blocks grow instead.
constexpr int64_t kManyUnits = int64_t{1} << 20;
// Sharing units between heliostats must leave this many units for ranks and threads.
constexpr int64_t kWantedUnits = 1024;
// Rounds: pairs of the first one, pairs from which on blocks grow instead, and rays of a block
// below which there are fewer pairs and above which there are more rounds.
constexpr int64_t kFirstPairs = 8;
constexpr int64_t kMostPairs = 64;
constexpr int64_t kFewRays = 32;
constexpr int64_t kFirstBlock = 4096;

int64_t divide_up(int64_t a, int64_t b) {
    return (a + b - 1) / b;
}

/// Most rays of a block: kLargeBlock up to 1e12 rays in the field.
int64_t largest_block(int64_t rays, int64_t num_heliostats) {
    const int64_t rays_of_pairs =
        divide_up(rays, kManyUnits) * std::max<int64_t>(1, num_heliostats);
    return std::max(kLargeBlock, divide_up(rays_of_pairs, 2));
}

int64_t choose_pairs(int64_t rays, int64_t large_block) {
    const auto power_of_two = [](int64_t n) {
        return static_cast<int64_t>(std::bit_ceil(static_cast<uint64_t>(std::max<int64_t>(n, 1))));
    };
    const int64_t by_small = power_of_two(rays / (2 * kSmallBlock));
    const int64_t by_large = power_of_two(divide_up(rays, 2 * large_block));
    return std::max(std::clamp(by_small, kMinPairs, kUsualPairs), by_large);
}

/// Pairs of blocks of one size; numbered from first_pair on.
struct Round {
    int64_t first_pair = 0;
    int64_t pairs = 0;
    int64_t rays_per_block = 0;

    int64_t rays() const { return 2 * pairs * rays_per_block; }
};

int64_t bundles_of(int64_t rays_per_block) {
    return divide_up(rays_per_block, kernels::kRaysPerPoint);
}

/// One round of at least `rays` rays: as few more as make equal blocks, or full bundles where they
/// would be badly filled.
Round single_round(const PlanRequest& request, int64_t large_block) {
    const int64_t pairs = choose_pairs(request.rays, large_block);
    const Round exact{0, pairs, divide_up(request.rays, 2 * pairs)};
    const int64_t lanes = bundles_of(exact.rays_per_block) * kernels::kRaysPerPoint;
    if (!request.full_bundles || exact.rays_per_block < kernels::kRaysPerPoint ||
        100 * exact.rays_per_block >= kWellFilled * lanes) {
        return exact;
    }
    Round best;
    for (int64_t p = kMinPairs; p < 2 * kMinPairs; ++p) {
        const Round round{
            0, p, bundles_of(divide_up(request.rays, 2 * p)) * kernels::kRaysPerPoint};
        if (best.pairs == 0 || round.rays() < best.rays()) best = round;
    }
    return best;
}

/// Rounds that double the rays each, at most `rays` in all (but a ray for each block at least).
///
/// Pairs have numbers of their own in all rounds, and blocks never shrink: so no two blocks draw
/// the same numbers.
std::vector<Round> make_rounds(int64_t rays, int64_t large_block) {
    int64_t first_pairs = kFirstPairs;
    while (first_pairs > kMinPairs && rays / (2 * first_pairs) < kFewRays) first_pairs /= 2;
    int num_rounds = 1;
    while (((rays >> num_rounds) / (2 * first_pairs)) >= kFewRays &&
           ((first_pairs << num_rounds) <= kMostPairs ||
            (rays >> (num_rounds - 1)) / (2 * first_pairs) > kFirstBlock)) {
        ++num_rounds;
    }
    int64_t block = (rays >> (num_rounds - 1)) / (2 * first_pairs);
    block = block >= kFewRays ? block / kFewRays * kFewRays : std::max<int64_t>(block, 1);

    std::vector<Round> rounds{{0, first_pairs, block}};
    int64_t total = rounds.front().rays();
    for (int round = 1; round < num_rounds; ++round) {
        const Round& last = rounds.back();
        Round next{last.first_pair + last.pairs, 0, last.rays_per_block};
        // Enough pairs for the variance: larger blocks make fewer units, until they are too coarse.
        while (total / (2 * next.rays_per_block) > kMostPairs &&
               2 * next.rays_per_block <= large_block) {
            next.rays_per_block *= 2;
        }
        next.pairs = total / (2 * next.rays_per_block);
        total += next.rays();
        rounds.push_back(next);
    }
    return rounds;
}

}  // namespace

Plan make_plan(const PlanRequest& request) {
    const std::vector<int32_t>& targets = request.targets;
    const auto num_heliostats = static_cast<int64_t>(targets.size());
    const int64_t large_block = largest_block(request.rays, num_heliostats);
    const std::vector<Round> rounds = request.in_rounds
                                          ? make_rounds(request.rays, large_block)
                                          : std::vector<Round>{single_round(request, large_block)};
    const Round& smallest = rounds.front();
    // Enough rays per unit that adding up its two half bitmaps costs little beside tracing.
    const int64_t by_flush = divide_up(request.num_pixels, smallest.rays_per_block);
    // Units of few rays are not worth sharing out: only larger ones are kept numerous.
    const int64_t worth_sharing =
        request.large_units ? divide_up(request.num_pixels, 2 * smallest.rays_per_block) : 1;
    const int64_t by_units =
        std::max(worth_sharing, num_heliostats * smallest.pairs / kWantedUnits);
    const int64_t by_size = std::max<int64_t>(1, kLargeBlock / smallest.rays_per_block);
    const int64_t group = request.separate_heliostats ? 1 : std::min({by_flush, by_units, by_size});

    Plan plan;
    for (const Round& round : rounds) {
        for (int64_t first = 0; first < num_heliostats;) {
            int64_t end = first + 1;
            while (end < num_heliostats && end - first < group && targets[end] == targets[first])
                ++end;
            for (int64_t pair = round.first_pair; pair < round.first_pair + round.pairs; ++pair) {
                plan.units.push_back({static_cast<int32_t>(first),
                                      static_cast<int32_t>(end - first),
                                      targets[first],
                                      static_cast<int32_t>(pair),
                                      round.rays_per_block});
            }
            first = end;
        }
        plan.rays_per_heliostat += round.rays();
        plan.round_ends.push_back(std::ssize(plan.units));
        plan.round_rays.push_back(plan.rays_per_heliostat);
    }
    return plan;
}

}  // namespace helioray::physical
