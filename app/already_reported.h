// SPDX-License-Identifier: MIT
// The end of a process whose message is out already.
#pragma once

#include <exception>

namespace helioray::app {

/// Something failed and the message is out already (on another rank, for example).
class AlreadyReported : public std::exception {
  public:
    explicit AlreadyReported(int exit_code) : exit_code_(exit_code) {}
    int exit_code() const noexcept { return exit_code_; }

  private:
    int exit_code_;
};

}  // namespace helioray::app
