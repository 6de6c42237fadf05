// SPDX-License-Identifier: MIT
// Messages on stderr, and a log file per rank when asked for.
#pragma once

#include "raytracer/run/options.h"

#include <string>
#include <vector>

namespace helioray::app {

enum class Verbosity { quiet, normal, verbose };

/// Sets up the default spdlog logger. Ranks other than 0 write only errors to stderr; every rank
/// writes everything to <log_dir>/rank_<rank>.log when log_dir is not empty. Throws InputError when
/// the folder cannot be used.
void set_up_log(Verbosity verbosity, int rank, int world_size, const std::string& log_dir);

/// Writes a message of the run engine to that log.
void write_log(run::LogLevel level, const std::string& message);

/// Writes each of these as a warning.
void log_warnings(const std::vector<std::string>& warnings);

}  // namespace helioray::app
