// SPDX-License-Identifier: MIT
// Signals: requests to stop become a flag and an exception, crashes a message.
#pragma once

#include <stdexcept>
#include <string>

namespace helioray::app {

/// Thrown where work stops because of a signal; the program ends with 128 + pending_signal().
class Interrupted : public std::runtime_error {
  public:
    Interrupted();
};

/// Makes SIGINT, SIGTERM, SIGHUP and SIGUSR1 set a flag instead of ending the process; a second
/// SIGINT ends it at once.
void install_signal_handlers();

/// The signal that arrived, or 0.
int pending_signal() noexcept;

/// "interrupted", "terminated", the name of a notice (SIGUSR1), or nothing while no signal has
/// arrived.
std::string signal_name();

/// Throws Interrupted when a signal has arrived.
void check_interrupt();

/// Prints a message when the program crashes, instead of ending silently. HDF5's library does not
/// survive every damaged file: a crash while reading one ends with exit code 2 and the file's name.
/// Any other crash still ends by its signal.
void install_crash_handler();

}  // namespace helioray::app
