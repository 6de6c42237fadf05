// SPDX-License-Identifier: MIT
// Reads and writes a table of efficiency by sun position as an HDF5 file.
#pragma once

#include "raytracer/studies/efficiency/efficiency.h"
#include "scenario/files/columns.h"
#include "scenario/files/hdf5/file.h"

#include <filesystem>

namespace helioray {

/// Returns the facts about the whole table: attributes of its file.
const Columns<EfficiencyTable>& efficiency_facts();

/// Returns the columns with one number for each sun position: fractions of irradiance times mirror
/// area, and their errors.
const Columns<EfficiencyTable>& efficiency_columns();

/// Returns the columns of a target, for each sun position. Those with axes are maps.
const Columns<EfficiencyTarget>& efficiency_target_columns();

/// Writes all data as HDF5 (format "helioray-efficiency"), completely or not at all. Angles are in
/// degrees; axes are HDF5 dimension scales, as xarray and netCDF expect.
void write_efficiency(const EfficiencyTable& table, const std::filesystem::path& path);

/// Returns true if the file with this root contains such a table.
bool is_efficiency(const hdf5::Group& root);

/// Reads the file of write_efficiency(). Throws InputError for other files.
EfficiencyTable read_efficiency(const std::filesystem::path& path);

/// Writes a netCDF-4 file for atlite and xarray: efficiency, its errors, the losses and the
/// normalised flux maps over altitude and azimuth in radians, azimuth clockwise from north. Written
/// completely or not at all.
void write_efficiency_netcdf(const EfficiencyTable& table, const std::filesystem::path& path);

}  // namespace helioray
