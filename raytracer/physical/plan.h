// SPDX-License-Identifier: MIT
// How the rays of a field are cut into work units. Depends on the job alone, never on ranks,
// threads or devices.
#pragma once

#include "kernels/trace_types.h"

#include <cstdint>
#include <vector>

namespace helioray::physical {

struct Plan {
    int64_t rays_per_heliostat = 0;  ///< after rounding up to whole blocks
    int64_t rays_per_block = 0;
    int64_t pairs = 0;  ///< pairs of blocks of each heliostat
    std::vector<kernels::WorkUnit> units;

    /// Rays of one unit; the measure of its cost.
    int64_t rays(const kernels::WorkUnit& unit) const {
        return 2 * rays_per_block * unit.num_heliostats;
    }
};

/// Plans `requested_rays` (at least 1) for each heliostat.
///
/// targets: target index of each heliostat, non-decreasing. A heliostat's rays are divided into
/// pairs of equal blocks, which carry the variance estimate; rays are rounded up to a multiple of 2
/// * pairs (1e6 is exact). Heliostats of one target share a unit while its rays are few compared
/// with the pixels that have to be added at its end, except where separate_heliostats asks for one
/// bitmap each.
Plan make_plan(const std::vector<int32_t>& targets,
               int64_t requested_rays,
               int64_t num_pixels,
               bool separate_heliostats);

}  // namespace helioray::physical
