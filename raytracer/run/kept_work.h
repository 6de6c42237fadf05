// SPDX-License-Identifier: MIT
// The file of what one rank has traced: its finished units and their sums.
#pragma once

#include "raytracer/run/unit_set.h"

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

namespace helioray::run {

/// The units of one file.
struct KeptWork {
    UnitSet units;         ///< that are traced
    double seconds = 0.0;  ///< that tracing has taken, in all starts up to this file
};

/// Writes a file of these units and their sums, complete or not at all. Zeros take no room, since a
/// rank often reaches a part of the maps only. identity: of the run. Throws std::runtime_error
/// where it cannot be stored.
void write_kept_work(const std::filesystem::path& path,
                     const std::string& identity,
                     const KeptWork& work,
                     std::span<const std::int64_t> sums);

/// Reads a file and adds its sums to `sums`, unless it holds units of `known`. Returns its units;
/// none where some are known. num_units: of the run. Throws std::runtime_error, and adds nothing,
/// where the file is damaged or of another run.
KeptWork add_kept_work(const std::filesystem::path& path,
                       const std::string& identity,
                       std::int64_t num_units,
                       const UnitSet& known,
                       std::span<std::int64_t> sums);

}  // namespace helioray::run
