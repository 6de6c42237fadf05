// SPDX-License-Identifier: MIT
// Result files that users name on the command line.
#pragma once

#include "raytracer/result.h"

#include <filesystem>
#include <string>

namespace CLI {
class App;
}

namespace helioray::app {

/// Whether the file holds the yield of a year (read_annual). Throws InputError for no file.
bool is_year(const std::filesystem::path& file);

/// Reads a result without the flux maps of single heliostats. Of a series the step that `time`
/// names, by its number from 0 or by its time; the one with the highest power where it is empty.
/// Throws InputError for what is no result file (says what to do when it is a configuration or a
/// scenario), and for a step that there is not.
RunResult open_result(const std::filesystem::path& file, const std::string& time = "");

/// Throws InputError: a year has no steps for --time.
[[noreturn]] void refuse_time_of_year();

/// The option --time of commands that show one step.
void add_time_option(CLI::App& command, std::string& time);

}  // namespace helioray::app
