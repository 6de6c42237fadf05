// SPDX-License-Identifier: MIT
// Reads and writes the yield of a year as an HDF5 file.
#pragma once

#include "raytracer/studies/annual/annual.h"
#include "scenario/files/columns.h"
#include "scenario/files/hdf5/file.h"

#include <filesystem>

namespace helioray {

/// Returns the numbers of the whole year: attributes of its file.
const Columns<AnnualYield>& year_columns();

/// Returns an energy with its errors: attributes of the file and of its targets.
const Columns<YearEnergy>& year_energy_columns();

/// Returns the state of the heliostats in the year: attributes of the file.
const Columns<YearState>& year_state_columns();

/// Returns the numbers about chosen aim points: attributes of the file.
const Columns<YearAiming>& year_aiming_columns();

/// Returns the columns of heliostats: names, energies in J with errors, and months.
const Columns<AnnualHeliostat>& annual_heliostat_columns();

/// Returns the columns of a yield: annual_heliostat_columns() without terms that are 0 because its
/// plant has no receiver of several surfaces.
Columns<AnnualHeliostat> annual_heliostat_columns(const AnnualYield& yield);

/// Returns the columns of the sun's positions.
const Columns<SkyGrid::Node>& sky_columns();

/// Writes all data as HDF5 (format "helioray-annual"), completely or not at all.
void write_annual(const AnnualYield& yield, const std::filesystem::path& path);

/// Returns true if the file with this root contains the yield of a year.
bool is_annual(const hdf5::Group& root);

/// Reads the file of write_annual(), without its notes. Throws InputError for other files.
AnnualYield read_annual(const std::filesystem::path& path);

}  // namespace helioray
