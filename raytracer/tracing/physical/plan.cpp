// SPDX-License-Identifier: MIT
// Divides the rays of a field into work units.
#include "raytracer/tracing/physical/plan.h"

#include <algorithm>
#include <bit>
#include <cmath>

namespace helioray::physical {

namespace {

// With fewer pairs than this, the estimated standard errors would be too uncertain (relative error
// 1 / sqrt(2 pairs)).
constexpr int64_t kMinPairs = 4;
constexpr int64_t kUsualPairs = 16;
// Rays are traced in bundles of 32, and an incomplete bundle costs as much as a full one. If less
// than this percentage of a run's bundles would be full, rays are added until all are.
constexpr int64_t kWellFilled = 90;
// Blocks of about the smaller size keep the flush of a bitmap cheap compared with the rays; blocks
// above the larger size would make units too coarse.
constexpr int64_t kSmallBlock = 31'250;
constexpr int64_t kLargeBlock = 500'000;
// More units than about this number would only cost memory, so blocks grow instead.
constexpr int64_t kManyUnits = int64_t{1} << 20;
// Combining heliostats in units must leave this many units for ranks and threads.
constexpr int64_t kWantedUnits = 1024;
// Parameters of rounds: pairs of the first round, pairs from which on blocks grow instead, rays of
// a block below which there are fewer pairs, and rays above which there are more rounds.
constexpr int64_t kFirstPairs = 8;
constexpr int64_t kMostPairs = 64;
constexpr int64_t kFewRays = 32;
constexpr int64_t kFirstBlock = 4096;

int64_t divide_up(int64_t a, int64_t b) {
    return (a + b - 1) / b;
}

/// Returns the largest number of rays of a block: kLargeBlock for up to 1e12 rays in the field.
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

/// Pairs of blocks of one size, numbered from first_pair on.
struct Round {
    int64_t first_pair = 0;
    int64_t pairs = 0;
    int64_t rays_per_block = 0;

    int64_t rays() const { return 2 * pairs * rays_per_block; }
};

int64_t count_bundles(int64_t rays_per_block) {
    return divide_up(rays_per_block, kernels::kRaysPerPoint);
}

/// Returns one round of at least `rays` rays: with the smallest addition that makes blocks equal,
/// or that fills bundles if many would be incomplete.
Round single_round(const PlanRequest& request, int64_t large_block) {
    const int64_t pairs = choose_pairs(request.rays, large_block);
    const Round exact{0, pairs, divide_up(request.rays, 2 * pairs)};
    const int64_t lanes = count_bundles(exact.rays_per_block) * kernels::kRaysPerPoint;
    if (!request.full_bundles || exact.rays_per_block < kernels::kRaysPerPoint ||
        100 * exact.rays_per_block >= kWellFilled * lanes) {
        return exact;
    }
    Round best;
    for (int64_t p = kMinPairs; p < 2 * kMinPairs; ++p) {
        const Round round{
            0, p, count_bundles(divide_up(request.rays, 2 * p)) * kernels::kRaysPerPoint};
        if (best.pairs == 0 || round.rays() < best.rays()) best = round;
    }
    return best;
}

/// Returns rounds with twice the rays of the previous one, at most `rays` in all (but at least one
/// ray per block).
///
/// Pairs are numbered consecutively over all rounds, and blocks never shrink; so no two blocks use
/// the same random numbers.
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
        // Provide enough pairs for the variance. Larger blocks make fewer units, until they are too
        // coarse.
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
    // Units need enough rays that adding their two half bitmaps is cheap compared with tracing.
    const int64_t by_flush = divide_up(request.num_pixels, smallest.rays_per_block);
    // Only large units are worth distributing, so only their number is kept high.
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

double error_uncertainty(const Plan& plan, int64_t rays) {
    // Variances of pairs are proportional to their rays. Satterthwaite's degrees of freedom of
    // their sum are the square of the sum over the sum of squares.
    double sum = 0.0;
    double squares = 0.0;
    for (size_t round = 0; round < plan.round_rays.size(); ++round) {
        if (plan.round_rays[round] > rays) break;
        const bool is_first = round == 0;
        const auto of_round = static_cast<double>(plan.round_rays[round] -
                                                  (is_first ? 0 : plan.round_rays[round - 1]));
        const int64_t first_unit = is_first ? 0 : plan.round_ends[round - 1];
        const auto of_block =
            static_cast<double>(plan.units[static_cast<size_t>(first_unit)].rays_per_block);
        sum += of_round;
        squares += of_round * 2.0 * of_block;
    }
    return sum > 0.0 ? std::sqrt(squares / 2.0) / sum : 0.0;
}

}  // namespace helioray::physical
