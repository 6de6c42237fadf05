// SPDX-License-Identifier: MIT
// Divides the rays of a field into rounds and work units. The plan depends on the job only, not on
// ranks, threads or devices.
#pragma once

#include "kernels/core/trace_types.h"

#include <cstdint>
#include <vector>

namespace helioray::physical {

struct Plan {
    int64_t rays_per_heliostat = 0;        ///< rays per heliostat in all rounds
    std::vector<kernels::WorkUnit> units;  ///< work units, sorted by round
    std::vector<int64_t> round_ends;       ///< number of units up to the end of each round
    std::vector<int64_t> round_rays;       ///< rays per heliostat up to the end of each round

    /// Returns the rays of one unit, which measure its cost.
    static int64_t rays(const kernels::WorkUnit& unit) {
        return 2 * unit.rays_per_block * unit.num_heliostats;
    }
};

/// Number of rays of a field and their division into work units.
struct RayBudget {
    int64_t rays = 1;                  ///< rays per heliostat; fewer if sums could overflow
    bool separate_heliostats = false;  ///< no work unit contains rays of two heliostats
    bool in_rounds = false;            ///< rays are traced in rounds, so that a run may stop early
    bool full_bundles = false;         ///< rays may be added to fill bundles, see make_plan()
    /// A unit has at least as many rays as pixels: faster if rays are few, but leaves fewer units
    /// to distribute.
    bool large_units = false;
};

/// All inputs of a plan.
struct PlanRequest : RayBudget {
    std::vector<int32_t> targets;  ///< target index of each heliostat, non-decreasing
    int64_t num_pixels = 1;        ///< pixels of a map
};

/// Plans a run. A heliostat's rays are divided into pairs of equal blocks, whose differences give
/// the variance estimate. Heliostats of one target share a unit if their rays are few compared with
/// the pixels that have to be added at its end.
///
/// Without rounds, the number of rays is rounded up to a multiple of 2 * pairs (1000 and 1e6 are
/// exact). With full_bundles, if rays are few and would leave many bundles of 32 incomplete (257 to
/// 2,072 rays), the number is rounded up further, by at most a quarter, to 4 to 7 pairs of full
/// bundles: 300 becomes 320 and takes half the time. With rounds, the number is instead rounded
/// down to whole blocks, which are multiples of 32 rays if there are enough. The first round has 8
/// pairs of blocks (at least 4 for fewer than 512 rays), every later one as many rays as all
/// previous rounds. Later rounds have more pairs up to 64, then larger blocks.
Plan make_plan(const PlanRequest& request);

/// Returns the relative uncertainty of the standard errors of single heliostats after the rounds
/// that trace `rays` rays of each heliostat: 1 / sqrt(2 n), where n is the number of equal pairs of
/// blocks or, for unequal pairs, their effective number. Returns 0 without rays.
double error_uncertainty(const Plan& plan, int64_t rays);

}  // namespace helioray::physical
