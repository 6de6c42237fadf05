// SPDX-License-Identifier: MIT
// Writes messages to stderr, and optionally to a log file for each rank.
#pragma once

#include "raytracer/run/options.h"

#include <string>
#include <vector>

namespace helioray::app {

enum class Verbosity { quiet, normal, verbose };

/// Sets up the default spdlog logger. Ranks other than 0 write only errors to stderr. If log_dir is
/// not empty, every rank writes all messages to <log_dir>/rank_<rank>.log. Throws InputError if the
/// folder cannot be used.
void set_up_log(Verbosity verbosity, int rank, int world_size, const std::string& log_dir);

/// Writes a message of the run engine to the log.
void write_log(run::LogLevel level, const std::string& message);

/// Writes each message as a warning.
void log_warnings(const std::vector<std::string>& warnings);

}  // namespace helioray::app
