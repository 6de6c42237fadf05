// SPDX-License-Identifier: MIT
// Lists the members of chosen aim points for archives of bytes.
#pragma once

#include "raytracer/solvers/aiming/aim_job.h"
#include "scenario/files/byte_archive.h"

namespace helioray::aiming {

/// Lists the members of chosen aim points but their scenario; of the configuration only sections
/// aim and aiming.
template <typename Archive>
void members(Archive& archive, Archived<Archive, ChosenAims>& value) {
    auto& [found, config, scenario, seconds] = value;
    archive(found, config.aim, config.aiming, seconds);
}

}  // namespace helioray::aiming
