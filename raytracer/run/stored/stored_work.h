// SPDX-License-Identifier: MIT
// Files with the traced work of one rank: its finished units and their sums.
#pragma once

#include "raytracer/run/stored/unit_set.h"

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

namespace helioray::run {

/// The units of one file.
struct StoredWork {
    UnitSet units;         ///< traced units
    double seconds = 0.0;  ///< tracing time in all starts up to this file, s
};

/// Writes a file with these units and their sums, completely or not at all. identity: hash that
/// identifies the run. Throws std::runtime_error if the file cannot be written.
void write_stored_work(const std::filesystem::path& path,
                       const std::string& identity,
                       const StoredWork& work,
                       std::span<const std::int64_t> sums);

/// Reads a file and adds its sums to `sums`, unless it contains units of `known`. Returns the units
/// of the file, or none if some are known. num_units: number of units of the run. Throws
/// std::runtime_error, and adds nothing, if the file is damaged or belongs to another run.
StoredWork add_stored_work(const std::filesystem::path& path,
                           const std::string& identity,
                           std::int64_t num_units,
                           const UnitSet& known,
                           std::span<std::int64_t> sums);

}  // namespace helioray::run
