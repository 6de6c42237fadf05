// SPDX-License-Identifier: MIT
// SIGINT and SIGTERM as a flag and an exception.
#pragma once

#include <stdexcept>
#include <string>

namespace helioray::app {

/// Thrown where work stops because of a signal; the program ends with 128 + pending_signal().
class Interrupted : public std::runtime_error {
  public:
    Interrupted();
};

/// From now on SIGINT and SIGTERM only set a flag; a second SIGINT ends the process at once.
void install_signal_handlers();

/// The signal that arrived, or 0.
int pending_signal() noexcept;

/// "interrupted", "terminated", or nothing while no signal has arrived.
std::string signal_name();

/// Throws Interrupted when a signal has arrived.
void check_interrupt();

}  // namespace helioray::app
