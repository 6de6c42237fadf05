// SPDX-License-Identifier: MIT
// How the rays of a field are cut into rounds and work units. Depends on the job alone, never on
// ranks, threads or devices.
#pragma once

#include "kernels/core/trace_types.h"

#include <cstdint>
#include <vector>

namespace helioray::physical {

struct Plan {
    int64_t rays_per_heliostat = 0;        ///< of all rounds together
    std::vector<kernels::WorkUnit> units;  ///< by round
    std::vector<int64_t> round_ends;       ///< number of units up to the end of each round
    std::vector<int64_t> round_rays;       ///< rays of each heliostat up to the end of each round

    /// Rays of one unit; the measure of its cost.
    static int64_t rays(const kernels::WorkUnit& unit) {
        return 2 * unit.rays_per_block * unit.num_heliostats;
    }
};

/// Everything that a plan depends on.
struct PlanRequest {
    std::vector<int32_t> targets;  ///< target index of each heliostat, non-decreasing
    int64_t rays = 1;              ///< rays of each heliostat, at least 1
    int64_t num_pixels = 1;
    bool separate_heliostats = false;  ///< one bitmap for each heliostat
    bool in_rounds = false;            ///< so that a run may stop early
    bool full_bundles = false;         ///< rays may be added to fill bundles, see make_plan
    bool large_units = false;  ///< at least as many rays as pixels in a unit: faster where rays are
                               ///< few, with fewer units to share out
};

/// Plans a run. A heliostat's rays are divided into pairs of equal blocks, which carry the variance
/// estimate. Heliostats of one target share a unit while its rays are few compared with the pixels
/// that have to be added at its end.
///
/// In one round the number of rays is rounded up to a multiple of 2 * pairs (1000 and 1e6 are
/// exact). With full_bundles, where rays are few and would leave bundles of 32 badly filled (257 to
/// 2,072 rays), it is rounded up further, by at most a quarter, to 4 to 7 pairs of full bundles:
/// 300 becomes 320 and takes half the time. In
/// rounds it is rounded down to whole blocks instead, which are multiples of 32 rays where there
/// are enough: the first round has 8 pairs of blocks (fewer than 512 rays: at least 4), every later
/// one as many rays as all before; rounds have more pairs up to 64, then larger blocks.
Plan make_plan(const PlanRequest& request);

/// How uncertain the standard errors of single heliostats are themselves, as a share of them, after
/// the rounds that trace `rays` rays of each heliostat: 1 / sqrt(2 n), with n equal pairs of blocks
/// or as many as unequal ones are worth. 0 without rays.
double error_uncertainty(const Plan& plan, int64_t rays);

}  // namespace helioray::physical
