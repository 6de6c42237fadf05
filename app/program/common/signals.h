// SPDX-License-Identifier: MIT
// Signal handling: requests to stop set a flag and cause an exception, crashes print a message.
#pragma once

#include <stdexcept>
#include <string>

namespace helioray::app {

/// Thrown when work stops because of a signal; the program ends with 128 + pending_signal().
class Interrupted : public std::runtime_error {
  public:
    Interrupted();
};

/// Makes SIGINT, SIGTERM, SIGHUP and SIGUSR1 set a flag instead of ending the process. A second
/// SIGINT ends it at once.
void install_signal_handlers();

/// Returns the signal that arrived, or 0.
int pending_signal() noexcept;

/// Returns "interrupted", "terminated" or the name of a notice (SIGUSR1), or an empty text if no
/// signal has arrived.
std::string signal_name();

/// Throws Interrupted if a signal has arrived.
void check_interrupt();

/// Makes crashes of the program print a message. HDF5's library does not survive every damaged
/// file: a crash while reading one ends with exit code 2 and the file's name. Any other crash still
/// ends with its signal.
void install_crash_handler();

}  // namespace helioray::app
