// SPDX-License-Identifier: MIT
// Result files: a run or a series as HDF5, written completely or not at all, and read back.
#pragma once

#include "raytracer/job/result.h"
#include "raytracer/results/series.h"
#include "scenario/files/output_files.h"

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace helioray {

/// Version of the layout of result files; readers refuse newer ones.
inline constexpr int kResultFormatVersion = 1;

/// Writes all of the result except timing and memory. Every dataset has the attributes `unit`
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
/// A series is an error too: choose one of its steps with the next function.
RunResult read_result(const std::filesystem::path& path,
                      HeliostatFlux heliostat_flux = HeliostatFlux::read);

/// Reads one step of a series, counted from 0, as if it were a run of its own: with its direction
/// to the sun, rays and fingerprint. Throws InputError as above, and for a step that does not
/// exist.
RunResult read_result(const std::filesystem::path& path,
                      std::size_t step,
                      HeliostatFlux heliostat_flux = HeliostatFlux::read);

/// Bytes of memory that the flux maps of single heliostats of a run's file take; 0 without them.
/// Throws InputError as read_result() does.
std::uint64_t heliostat_flux_bytes(const std::filesystem::path& run);

/// The flux map [height, width] of one heliostat alone, by its row in a run's file. Throws
/// InputError as read_result() does, and where the file is no longer that of the fingerprint.
std::vector<float> read_heliostat_flux(const std::filesystem::path& run,
                                       const std::string& fingerprint,
                                       std::size_t heliostat);

/// Whether a result file holds a series; its steps are read with read_result(path, step). Throws
/// InputError if it is not a result file.
bool is_series(const std::filesystem::path& result);

/// Writes one step as a result file of its own, with the time, angles, irradiance and trace_seconds
/// of `step` as further attributes. Completely or not at all, like write_result().
void write_series_part(const RunResult& result,
                       const SeriesStep& step,
                       const std::filesystem::path& path);

/// Whether there is a complete part of this name.
bool is_series_part(const std::filesystem::path& path);

/// Joins parts, in their order, to the result file of a series. Datasets and numeric attributes of
/// a single run become datasets with a leading axis of steps, chunked and compressed; matrices of
/// mirrors become normals, origins and turns; /series describes the steps. `provenance` is that of
/// the whole run; its rays and fingerprint are set here. Completely or not at all.
void write_series(const std::vector<std::filesystem::path>& parts,
                  Provenance provenance,
                  const std::filesystem::path& path);

/// The same series without a file of its own: read from its parts, with all but the rays,
/// fingerprint and sun of `provenance`. Throws InputError for damaged parts.
SeriesResult series_of_parts(const std::vector<std::filesystem::path>& parts,
                             Provenance provenance);

/// Reads a series without maps and orientations; the times of the run are those in the file, memory
/// is 0. Throws InputError if the file is damaged or not a series.
SeriesResult read_series(const std::filesystem::path& path);

/// Reads one step of a series as the result of a run, with its label and without the maps of single
/// heliostats.
RunResult read_step(const std::filesystem::path& path,
                    const SeriesResult& series,
                    std::size_t step);

}  // namespace helioray
