// SPDX-License-Identifier: MIT
// What a user reads when something fails.
#pragma once

#include <string>

namespace helioray::app {

/// Prints "helioray: message" to stderr; a closed or full stderr is no further failure.
void print_failure(const std::string& message) noexcept;

/// Crashes get a message instead of silence. HDF5's library does not survive every damaged file:
/// while one is read, a crash ends with exit code 2 and its name. Any other still ends by its
/// signal.
void install_crash_handler();

}  // namespace helioray::app
