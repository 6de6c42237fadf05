// SPDX-License-Identifier: MIT
// Detects the kind of files that users name on the command line, and reads results of runs, series
// and years.
#pragma once

#include "app/program/common/command.h"
#include "raytracer/results/series/series.h"
#include "raytracer/tracing/job/result.h"

#include <filesystem>
#include <optional>
#include <string>

namespace helioray::app {

enum class FileKind { hdf5, text };

/// Returns the kind of a file from its contents, regardless of its name. Throws InputError if the
/// file cannot be read.
FileKind detect_file_kind(const std::filesystem::path& file);

/// Returns true if the file contains the yield of a year (see read_annual()). Throws InputError if
/// it cannot be read.
bool is_year(const std::filesystem::path& file);

/// Returns true if the file contains an efficiency table (see read_efficiency()). Throws InputError
/// if it cannot be read.
bool is_efficiency_table(const std::filesystem::path& file);

/// Returns true if the file contains the table of a sweep (see sweep::read_sweep()). Throws
/// InputError if it cannot be read.
bool is_sweep_table(const std::filesystem::path& file);

/// Reads a result without the flux maps of single heliostats. In a series, `time` names the step by
/// its number from 0 or by its time; if it is empty, the step with the highest power is read.
/// Throws InputError if the file is not a result (with advice for configurations and scenarios), or
/// has no such step.
RunResult open_result(const std::filesystem::path& file, const std::string& time = "");

/// Reads a series that is to be shown as a whole: a result of several steps, of which `time` names
/// none. Returns no value for other files and with a time. Throws InputError for damaged files.
std::optional<SeriesResult> open_series(const std::filesystem::path& file, const std::string& time);

/// Throws the InputError for --time with a year, which has no steps.
[[noreturn]] void refuse_time_of_year();

/// Adds the option --time, which chooses a step. `otherwise` says what is shown without it.
void add_time_option(Command command, std::string& time, const std::string& otherwise);

}  // namespace helioray::app
