// SPDX-License-Identifier: MIT
// From a configuration and its scenario to a field that can be traced.
#pragma once

#include "raytracer/physical/aimed_heliostat.h"
#include "raytracer/physical/field.h"
#include "raytracer/physical/plan.h"
#include "scenario/run_config.h"
#include "scenario/types.h"

#include <cstdint>
#include <string>
#include <vector>

namespace helioray::physical {

/// Target index of each aimed heliostat, as plans want it.
std::vector<int32_t> targets_of(const std::vector<AimedHeliostat>& aimed);

/// Aligned heliostats, their work units and the records of the kernels.
struct PreparedField {
    Vec3 sun{};  ///< unit vector to the sun, ENU
    std::vector<AimedHeliostat> aimed;
    Plan plan;
    Field field;

    /// Rays of all heliostats in the whole plan.
    int64_t num_rays() const { return plan.rays_per_heliostat * std::ssize(aimed); }
};

/// Aligns, plans and builds the field. Appends to warnings what users should know. cull: false
/// tests every mirror for every ray, the reference for tests. Throws InputError for what cannot be
/// traced.
PreparedField prepare_field(const RunConfig& config,
                            const Scenario& scenario,
                            std::vector<std::string>& warnings,
                            bool cull = true);

}  // namespace helioray::physical
