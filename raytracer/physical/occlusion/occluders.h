// SPDX-License-Identifier: MIT
// All mirrors of the plant as occluders, and who may stand in whose light.
#pragma once

#include "kernels/trace_types.h"
#include "raytracer/physical/aimed_heliostat.h"
#include "raytracer/physical/surface_records.h"
#include "raytracer/target_frame.h"
#include "scenario/types.h"

#include <map>
#include <vector>

namespace helioray::physical {

struct OcclusionSettings {
    bool shading = true;
    bool blocking = true;
    bool cull = true;              ///< false: every mirror is tested for every ray (reference)
    Vec3 sun_direction{};          ///< unit vector to the sun, ENU
    double sun_angle = 0.0;        ///< radians, largest angle of a ray to the sun's centre
    double reflected_angle = 0.0;  ///< radians, largest angle of a reflected ray to that of the
                                   ///< sun's centre at the true normal
};

struct OcclusionRecords {
    std::vector<kernels::Occluder> occluders;  ///< [frames of used targets, all heliostats]
    std::vector<kernels::OccluderFacet> facets;
    std::vector<int32_t> candidates;
};

/// Occluders of every heliostat of the scenario in the frame of every used target; heliostats that
/// are not aimed lie flat, facing up. Fills the candidate ranges of the records, which belong to
/// `aimed` one by one. frames: of all targets that are aimed at; surfaces: with the shapes of all.
OcclusionRecords make_occlusion(const Scenario& scenario,
                                const std::vector<AimedHeliostat>& aimed,
                                const std::map<size_t, TargetFrame>& frames,
                                const OcclusionSettings& settings,
                                const KnownSurfaces& surfaces,
                                std::vector<kernels::HeliostatRecord>& heliostats);

}  // namespace helioray::physical
