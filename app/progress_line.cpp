// SPDX-License-Identifier: MIT
// From reports to a counter that a progress bar reads.
#include "app/progress_line.h"

namespace helioray::app {

void ProgressLine::show(const run::Progress& progress) {
    rays_ = progress.rays;
    if (progress.finished) {
        bar_.reset();
    } else if (!bar_) {
        bar_.emplace(rays_, progress.expected);
    }
}

}  // namespace helioray::app
