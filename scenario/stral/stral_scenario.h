// SPDX-License-Identifier: MIT
// Scenarios from STRAL's files.
#pragma once

#include "scenario/measured_surface.h"
#include "scenario/stral/stral_file.h"
#include "scenario/types.h"

#include <array>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace helioray {

/// What a scenario is made from besides the STRAL file.
struct StralInputs {
    std::string name = "heliostat_1";  ///< of the heliostat; the files hold none
    std::string file;                  ///< where the content came from, for messages
    std::filesystem::path tower;       ///< PAINT's tower-measurements.json; empty: assumed targets
    std::optional<Vec3> position;      ///< metres, ENU; nothing: the file's
};

/// Samples of a STRAL file, checked. Throws InputError with all problems: facets without points,
/// numbers that are not finite, normals that are no unit vectors or point down, canting vectors
/// that are zero or parallel.
MeasuredSurface measured_surface(const StralFile& file, const std::string& name);

/// Facets of a STRAL file without control points: names, translations and canting vectors.
Surface stral_facets(const StralFile& file);

/// A scenario with one heliostat of this surface. STRAL's files hold no kinematics, drives, targets
/// or sun; assumed are a rigid body with ideal drives that turn freely and the file's mirror
/// offset, and without a tower file a plane and a cylinder ("planar", "cylinder"). `report`, when
/// given, gets one line for everything that was read, ignored or assumed.
Scenario scenario_from_stral(const StralFile& file,
                             std::shared_ptr<const Surface> surface,
                             const StralInputs& inputs,
                             std::vector<std::string>* report = nullptr);

}  // namespace helioray
