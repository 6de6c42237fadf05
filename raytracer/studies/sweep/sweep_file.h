// SPDX-License-Identifier: MIT
// Writes the table of a sweep as CSV or HDF5.
#pragma once

#include "raytracer/studies/sweep/sweep.h"

#include <filesystem>
#include <string>
#include <vector>

namespace helioray::sweep {

/// A column with one number per variant; NaN if a variant has none.
struct SweepColumn {
    std::string name;             ///< name, "target_power_w" or "peak_flux_w_m2:receiver"
    std::string unit;             ///< unit, "W" or "1"
    std::string description;      ///< description, one sentence
    std::vector<double> numbers;  ///< one number per variant
    bool is_count = false;        ///< whole numbers, which files store as integers
};

/// Returns all result columns in the order of the table: efficiency and its standard error, energy
/// terms, then power, standard error and peak flux of every target at which a variant aims ("...:"
/// and its name), rays and seconds.
std::vector<SweepColumn> columns_of(const SweepTable& table);

/// Writes the table completely or not at all, in the format of the file's ending.
///
/// CSV: a column for each varied key, named like the key, then columns_of() and the fingerprint.
/// Numbers keep their exact value; unknown ones are "nan".
///
/// HDF5: these columns as datasets [variants] with the attributes unit and description. Keys are in
/// the group vary, as numbers if all values are numbers and otherwise as texts; the other columns
/// are in the group results. The root's attributes are format ("helioray-sweep") and
/// format_version.
void write_sweep(const SweepTable& table, const std::filesystem::path& path);

/// Throws InputError (place `--output`) for endings other than .csv, .h5 and .hdf5.
void check_sweep_ending(const std::filesystem::path& path);

}  // namespace helioray::sweep
