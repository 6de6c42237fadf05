// SPDX-License-Identifier: MIT
// The table of a sweep as CSV or HDF5.
#pragma once

#include "raytracer/sweep/sweep.h"

#include <filesystem>
#include <string>
#include <vector>

namespace helioray::sweep {

/// A column of numbers, one for each variant; NaN where a variant has none.
struct SweepColumn {
    std::string name;             ///< "target_power_w", "peak_flux_w_m2:receiver"
    std::string unit;             ///< "W", "1"
    std::string description;      ///< one sentence
    std::vector<double> numbers;  ///< one for each variant
    bool is_count = false;        ///< whole numbers, which files keep as such
};

/// Everything that was found, in the order of the table: efficiency and its standard error, energy
/// terms, then power, standard error and peak flux of every target that a variant aims at ("...:"
/// and its name), rays and seconds.
std::vector<SweepColumn> columns_of(const SweepTable& table);

/// Writes the table completely or not at all, as its ending says.
///
/// CSV: a column for each key that varies, named like the key, then columns_of() and the
/// fingerprint. Numbers keep their exact value; unknown ones are "nan".
///
/// HDF5: the same as datasets [variants] with the attributes unit and description: keys in the
/// group vary, as numbers where all values are numbers and else as texts, the others in the group
/// results. The root's attributes are format ("helioray-sweep") and format_version.
void write_sweep(const SweepTable& table, const std::filesystem::path& path);

/// Throws InputError (place `--output`) for another ending than .csv, .h5 and .hdf5.
void check_sweep_ending(const std::filesystem::path& path);

}  // namespace helioray::sweep
