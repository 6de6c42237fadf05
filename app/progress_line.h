// SPDX-License-Identifier: MIT
// The run engine's progress as a line on the terminal.
#pragma once

#include "raytracer/output/progress.h"
#include "raytracer/run/options.h"

#include <atomic>
#include <cstdint>
#include <optional>

namespace helioray::app {

/// A progress bar from the first report to the last.
class ProgressLine {
  public:
    /// As run::Options::progress asks for.
    void show(const run::Progress& progress);

  private:
    std::atomic<std::int64_t> rays_{0};
    std::optional<ProgressBar> bar_;
};

}  // namespace helioray::app
