// SPDX-License-Identifier: MIT
// Files that users name on the command line: their kind, and results of runs, series and years.
#pragma once

#include "app/common/command.h"
#include "raytracer/job/result.h"

#include <filesystem>
#include <string>

namespace helioray::app {

enum class FileKind { hdf5, text };

/// The kind by content, not by name. Throws InputError if the file cannot be read.
FileKind kind_of(const std::filesystem::path& file);

/// Whether the file holds the yield of a year (read_annual). Throws InputError if it cannot be
/// read.
bool is_year(const std::filesystem::path& file);

/// Whether the file holds an efficiency table (read_efficiency). Throws InputError if it cannot be
/// read.
bool is_efficiency_table(const std::filesystem::path& file);

/// Reads a result without the flux maps of single heliostats. Of a series the step that `time`
/// names, by its number from 0 or by its time; the one with the highest power where it is empty.
/// Throws InputError if it is not a result file (with advice for configurations and scenarios), or
/// has no such step.
RunResult open_result(const std::filesystem::path& file, const std::string& time = "");

/// Throws the InputError for --time with a year, which has no steps.
[[noreturn]] void refuse_time_of_year();

/// Adds the option --time of commands that show one step.
void add_time_option(Command command, std::string& time);

}  // namespace helioray::app
