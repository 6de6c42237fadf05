// SPDX-License-Identifier: MIT
// Joins the parts of a series to groups with an axis of steps. Internal to the writer of series.
#pragma once

#include "scenario/files/hdf5/file.h"

#include <filesystem>
#include <vector>

namespace helioray {

/// Creates the groups `heliostats` and `targets/NAME` of a series from those of its parts, in their
/// order. Matrices of mirrors become poses (see MirrorPose). Only a few steps of one dataset are in
/// memory at a time.
void join_parts(hdf5::Group root, const std::vector<std::filesystem::path>& parts);

}  // namespace helioray
