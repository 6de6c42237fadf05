// SPDX-License-Identifier: MIT
// Reads a map of clouds (sun.clouds) from HDF5.
#pragma once

#include "scenario/types/run_config.h"

namespace helioray {

/// Reads the map that sun.clouds names if it is an HDF5 file: dataset share [north_m, east_m] with
/// both axes as datasets in metres, ascending. Everything else has been read with the
/// configuration. Throws InputError with all problems: missing datasets, wrong shapes, axes that do
/// not ascend, values outside of kSunlitShares.
void read_cloud_map(RunConfig& config);

}  // namespace helioray
