// SPDX-License-Identifier: MIT
// The axes of datasets as HDF5 dimension scales, so that netCDF-4 and xarray open result files.
#pragma once

#include "scenario/files/hdf5/file.h"

#include <string>

namespace helioray {

/// Attaches a dimension scale to every axis of the datasets in a group of a result, series or year.
/// Axes of steps, months, suns, pixels, vectors and matrices without coordinates in the group
/// receive a dataset with their indices or names. Heliostats use the dataset `name`, maps of a
/// target `height_m` and `width_m`. Call it once, after all datasets have been written. Throws
/// InputError if HDF5 fails.
void attach_axes(const hdf5::Group& group);

/// Returns true if attach_axes() creates a dataset of this name, which contains no result.
bool is_made_axis(const std::string& name);

}  // namespace helioray
