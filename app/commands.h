// SPDX-License-Identifier: MIT
// One function per command; each returns the exit code or throws.
#pragma once

#include "app/options.h"

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

int run(const RaytraceOptions& options);
int run(const ValidateOptions& options);
int run(const InfoOptions& options);
int run(const PlotOptions& options);
int run(const ScenarioPaintOptions& options);
int run(const DoctorOptions& options);
int run(const BenchOptions& options);

}  // namespace helioray::app
