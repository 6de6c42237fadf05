// SPDX-License-Identifier: MIT
// Result files of series: everything of a single run's with a leading axis of steps.
#pragma once

#include "raytracer/output/result_file.h"
#include "raytracer/series/series.h"

#include <cstddef>
#include <filesystem>

namespace helioray {

/// Whether a result file holds a series; its steps are read with read_result(path, step). Throws
/// InputError for what is no result file.
bool is_series(const std::filesystem::path& result);

/// Writes one step as a file of its own: a result file with what the series has to know besides.
/// `time`, angles, irradiance and trace_seconds are those of `step`, the rest is the result's.
/// Complete or not at all, as write_result.
void write_series_part(const RunResult& result,
                       const SeriesStep& step,
                       const std::filesystem::path& path);

/// Whether there is a complete part of this name.
bool is_series_part(const std::filesystem::path& path);

/// Joins parts, in their order, to the result file of a series. Datasets and numeric attributes of
/// a single run become datasets with a leading axis of steps, chunked by step and compressed;
/// /series tells the steps apart. `provenance` is what is known of the whole run: its rays and
/// fingerprint are set here. Complete or not at all.
void write_series(const std::vector<std::filesystem::path>& parts,
                  Provenance provenance,
                  const std::filesystem::path& path);

/// Reads all of a series but maps and orientations; times of the run are those of the file, memory
/// is 0. Throws InputError for a file that is damaged or no series.
SeriesResult read_series(const std::filesystem::path& path);

/// One step of a series as the result of a run, without the maps of single heliostats, and with its
/// label.
RunResult read_step(const std::filesystem::path& path,
                    const SeriesResult& series,
                    std::size_t step);

}  // namespace helioray
