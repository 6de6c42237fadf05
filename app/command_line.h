// SPDX-License-Identifier: MIT
// The command line.
#pragma once

#include "app/commands/commands.h"

#include <variant>

namespace helioray::app {

/// Parses the command line. Returns what to do, or the exit code when there is nothing to do
/// (help, version: 0 after printing to stdout; wrong arguments: 2 after one message on stderr).
std::variant<Action, int> parse_command_line(int argc, char** argv);

}  // namespace helioray::app
