// SPDX-License-Identifier: MIT
// The axes of datasets as HDF5 dimension scales, by which netCDF-4 and xarray open result files.
#pragma once

#include "scenario/files/hdf5/file.h"

#include <string>

namespace helioray {

/// Gives every axis of the datasets in a group of a result, series or year its dimension scale.
/// Axes of steps, months, suns, pixels, vectors and matrices that have no coordinates in the group
/// yet get a dataset with their indices or names; heliostats have theirs (`name`), as the maps of a
/// target have (`height_m`, `width_m`). Call it once, when all datasets are there. Throws
/// InputError when HDF5 fails.
void attach_axes(const hdf5::Group& group);

/// Whether attach_axes() makes a dataset of this name: it holds no result.
bool is_made_axis(const std::string& name);

}  // namespace helioray
