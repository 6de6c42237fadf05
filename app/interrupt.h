// SPDX-License-Identifier: MIT
// SIGINT and SIGTERM as a flag and an exception.
#pragma once

#include <stdexcept>
#include <string>

namespace helioray::app {

/// Thrown where work stops because of a signal; the program ends with 128 + signal.
class Interrupted : public std::runtime_error {
  public:
    /// `cause`: what is known to have failed before, for example the rank because of which a
    /// launcher terminates the others; may be empty.
    explicit Interrupted(int signal, const std::string& cause = {});
    int exit_code() const noexcept { return 128 + signal_; }

  private:
    int signal_;
};

/// From now on SIGINT and SIGTERM only set a flag; a second SIGINT ends the process at once.
void install_signal_handlers();

/// The signal that arrived, or 0.
int pending_signal() noexcept;

/// Throws Interrupted when a signal has arrived.
void check_interrupt();

}  // namespace helioray::app
