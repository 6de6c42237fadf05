// SPDX-License-Identifier: MIT
// Reads the table of the states of heliostats (state.file), from CSV or HDF5.
#pragma once

#include "scenario/files/error.h"
#include "scenario/types/heliostat_state.h"

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace helioray {

/// Reads the rows of a table and the places of their names; the other members of the result keep
/// their defaults.
///
/// CSV: any of the columns name, time, reflectivity, soiling, slope_error_mrad,
/// specularity_error_mrad, tracking_bias_1_mrad, tracking_bias_2_mrad, tracking_error_mrad,
/// available, target, east, north, up, dni_share. Rows without a name, or with the name "all", are
/// for all heliostats; rows without a time apply from the beginning. Empty cells set nothing.
///
/// HDF5: each column is a dataset of the root group with this name and one entry per row.
///
/// Adds problems, which name the file, line and column, for values outside of their ranges, names
/// that are given twice for one time, incomplete aim points, and heliostats that change their
/// target. Throws InputError if the file cannot be read. `warning` receives the columns that are
/// not used.
StateConfig read_state_table(const std::filesystem::path& file,
                             std::vector<Problem>& problems,
                             std::optional<std::string>& warning);

}  // namespace helioray
