// SPDX-License-Identifier: MIT
// Paths of single rays of a field.
#pragma once

#include "raytracer/tracing/job/traced_path.h"
#include "raytracer/tracing/physical/field.h"

#include <cstdint>
#include <vector>

namespace helioray::physical {

/// Traces `count` rays of a field, or all of them if there are fewer. Each is chosen at random from
/// an equal part of all rays of the first `rays_per_heliostat` rays of every heliostat, so that all
/// rays are equally likely. The choice depends on the seed of the field. Heliostats are indices in
/// the scenario, and powers are left 0.
std::vector<TracedPath> trace_paths(const Field& field,
                                    std::int64_t rays_per_heliostat,
                                    std::int64_t count);

}  // namespace helioray::physical
