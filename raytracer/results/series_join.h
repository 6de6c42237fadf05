// SPDX-License-Identifier: MIT
// The parts of a series as groups with an axis of steps. Internal to the writer of series.
#pragma once

#include "scenario/files/hdf5/file.h"

#include <filesystem>
#include <vector>

namespace helioray {

/// Makes the groups `heliostats` and `targets/NAME` of a series from those of its parts, in their
/// order. Matrices of mirrors become poses (see MirrorPose). Memory holds a few steps of one
/// dataset at a time.
void join_parts(hdf5::Group root, const std::vector<std::filesystem::path>& parts);

}  // namespace helioray
