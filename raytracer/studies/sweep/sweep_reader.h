// SPDX-License-Identifier: MIT
// Reads the table of a sweep back from HDF5, for tables, pictures and reports.
#pragma once

#include "scenario/files/hdf5/file.h"

#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

namespace helioray::sweep {

/// A varied key with its value in each variant.
struct SweptKey {
    std::string key;                  ///< key, "optics.slope_error_mrad"
    std::vector<std::string> values;  ///< values as texts, one per variant
    std::vector<double> numbers;      ///< values as numbers; empty if some are texts
};

/// A column of results with one number per variant.
struct SweptColumn {
    std::string name;             ///< name as in SweepColumn
    std::string unit;             ///< unit, "W"
    std::vector<double> numbers;  ///< one number per variant; NaN if a variant has none
};

/// A number with its standard errors; null where the table lacks it.
struct SweptNumber {
    const SweptColumn* values = nullptr;  ///< values
    const SweptColumn* errors = nullptr;  ///< standard errors
};

/// The light on a target.
struct SweptTarget {
    std::string name;       ///< name in the scenario
    SweptNumber power;      ///< power on the target
    SweptNumber peak_flux;  ///< peak flux on the target
};

/// A stored table.
struct StoredSweep {
    std::vector<SweptKey> keys;             ///< keys in the order of their names
    std::vector<SweptColumn> columns;       ///< columns in the order of their names
    std::vector<std::string> fingerprints;  ///< fingerprints of the variants

    /// Returns the number of variants.
    std::size_t size() const { return fingerprints.size(); }
    /// Returns the numbers of a column; null if the table has no such column.
    const SweptColumn* find(const std::string& name) const;
    /// Returns the power on all targets in W; null if model artist has numbers without a unit.
    const SweptColumn* target_power() const;
    /// Returns the efficiency of the field.
    SweptNumber efficiency() const;
    /// Returns the light on all targets, in the order of their names.
    std::vector<SweptTarget> targets() const;
};

/// Returns true if the file is the table of a sweep.
bool is_sweep(const hdf5::Group& root);

/// Reads a table that write_sweep() wrote as HDF5. Throws InputError for damaged files.
StoredSweep read_sweep(const std::filesystem::path& path);

}  // namespace helioray::sweep
