// SPDX-License-Identifier: MIT
// Result files: a run's outcome as HDF5, written completely or not at all, and read back.
#pragma once

#include "raytracer/output/atomic_file.h"
#include "raytracer/result.h"

#include <cstddef>
#include <cstdint>
#include <filesystem>

namespace helioray {

/// Version of the layout of result files; readers refuse newer ones.
inline constexpr int kResultFormatVersion = 1;

/// Writes everything of the result but timing and memory. Every dataset has the attributes `unit`
/// and `description`. The file appears under its name when it is complete and on the disk; before
/// that it is a temporary file in the same folder, removed on failure.
/// An empty flux_std_error is written as NaN (unknown).
/// Throws std::runtime_error naming the file (disk full, arrays that do not fit their sizes).
void write_result(const RunResult& result, const std::filesystem::path& path);

/// About how many bytes write_result will need, an upper bound in practice (maps of single
/// heliostats are compressed). For check_writable.
std::uint64_t estimated_result_bytes(std::int64_t num_targets,
                                     std::int64_t num_heliostats,
                                     std::int64_t bitmap_height,
                                     std::int64_t bitmap_width,
                                     bool per_heliostat);

/// Whether read_result loads the flux maps of single heliostats, which can be large.
enum class HeliostatFlux { read, skip };

/// Reads a result file; targets come in byte-wise order of their names, timing and memory are 0.
/// Throws InputError naming the HDF5 path for anything missing, damaged or of another format
/// version.
/// Also for a series, of which one step is to be chosen.
RunResult read_result(const std::filesystem::path& path,
                      HeliostatFlux heliostat_flux = HeliostatFlux::read);

/// Reads one step of a series, counted from 0, as if it were a run of its own: with its direction
/// to the sun, rays and fingerprint. Throws InputError as above, and for a step that is not there.
RunResult read_result(const std::filesystem::path& path,
                      std::size_t step,
                      HeliostatFlux heliostat_flux = HeliostatFlux::read);

}  // namespace helioray
