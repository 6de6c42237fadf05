// SPDX-License-Identifier: MIT
// Result files: reads and writes a run or a series as HDF5. Files are written completely or not at
// all.
#pragma once

#include "raytracer/results/series/series.h"
#include "raytracer/tracing/job/result.h"
#include "scenario/files/output_files.h"

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

namespace helioray {

/// Version of the layout of result files; readers refuse newer ones.
inline constexpr int kResultFormatVersion = 1;

/// Writes all of the result except timing and memory. Every dataset has the attributes `unit` and
/// `description`. The file is written under a temporary name in the same folder, renamed when it is
/// complete and on the disk, and removed on failure. An empty flux_std_error is written as NaN
/// (unknown). Throws std::runtime_error naming the file (disk full, arrays that do not match their
/// sizes).
void write_result(const RunResult& result, const std::filesystem::path& path);

/// Estimates the number of bytes that write_result() will need, in practice an upper bound (maps of
/// single heliostats are compressed). Used by check_writable().
std::uint64_t estimated_result_bytes(std::int64_t num_targets,
                                     std::int64_t num_heliostats,
                                     std::int64_t bitmap_height,
                                     std::int64_t bitmap_width,
                                     bool per_heliostat);

/// Selects if read_result() loads the flux maps of single heliostats, which can be large.
enum class HeliostatFlux { read, skip };

/// Reads a result file. Targets are sorted by the bytes of their names; timing and memory are 0.
/// Throws InputError naming the HDF5 path for anything missing, damaged or of another format
/// version, and for a series, of which one step must be chosen with the overload below.
RunResult read_result(const std::filesystem::path& path,
                      HeliostatFlux heliostat_flux = HeliostatFlux::read);

/// Reads one step of a series, counted from 0, as if it were a separate run: with its direction to
/// the sun, rays and fingerprint. Throws InputError like the overload above, and for a step that
/// does not exist.
RunResult read_result(const std::filesystem::path& path,
                      std::size_t step,
                      HeliostatFlux heliostat_flux = HeliostatFlux::read);

/// Returns the memory that the flux maps of single heliostats in a run's file take, bytes; 0
/// without such maps. Throws InputError like read_result().
std::uint64_t heliostat_flux_bytes(const std::filesystem::path& run);

/// Reads the flux map [height, width] of one heliostat by its row in a run's file. Throws
/// InputError like read_result(), and if the file does not have this fingerprint any more.
std::vector<float> read_heliostat_flux(const std::filesystem::path& run,
                                       const std::string& fingerprint,
                                       std::size_t heliostat);

/// Returns true if a result file contains a series, whose steps are read with read_result(path,
/// step). Throws InputError if it is not a result file.
bool is_series(const std::filesystem::path& result);

/// Writes one step as a separate result file, with the time, angles, irradiance and trace_seconds
/// of `step` as further attributes. Written completely or not at all, like write_result().
void write_series_part(const RunResult& result,
                       const SeriesStep& step,
                       const std::filesystem::path& path);

/// Returns true if a complete part with this name exists.
bool is_series_part(const std::filesystem::path& path);

/// Joins parts, in their order, to the result file of a series. Datasets and numeric attributes of
/// a single run become datasets with a leading axis of steps, chunked and compressed. Matrices of
/// mirrors become normals, origins and turns; /series describes the steps. `provenance` is that of
/// the whole run; its rays and fingerprint are set here. `time_zone` is the name of the time zone
/// of the steps, an attribute of /series if it is not empty. Written completely or not at all.
void write_series(const std::vector<std::filesystem::path>& parts,
                  Provenance provenance,
                  const std::filesystem::path& path,
                  const std::string& time_zone = "");

/// Returns the name of the time zone in the file of a series ("Europe/Berlin"), or an empty text.
std::string read_time_zone(const std::filesystem::path& path);

/// Reads a series from its parts without joining them to a file. Rays, fingerprint and sun of
/// `provenance` are replaced. Throws InputError for damaged parts.
SeriesResult series_of_parts(const std::vector<std::filesystem::path>& parts,
                             Provenance provenance);

/// Reads a series without maps and orientations. The times of the run are those in the file, memory
/// is 0. Throws InputError if the file is damaged or not a series.
SeriesResult read_series(const std::filesystem::path& path);

/// Reads one step of a series as the result of a run, with its label and without the maps of single
/// heliostats.
RunResult read_step(const std::filesystem::path& path,
                    const SeriesResult& series,
                    std::size_t step);

/// Returns the result of a step by its number.
using ReadStep = std::function<RunResult(std::size_t step)>;

/// Returns the function that reads the steps of a series from its file with read_step(). The series
/// must outlive it.
ReadStep step_reader(const std::filesystem::path& path, const SeriesResult& series);

}  // namespace helioray
