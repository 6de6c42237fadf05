// SPDX-License-Identifier: MIT
// Calls of the program's progress display, one at a time.
#include "raytracer/run/progress_report.h"

namespace helioray::run {

ProgressReport::ProgressReport(const Options& options, std::int64_t expected)
    : options_(options), expected_(expected) {
    report();
}

ProgressReport::~ProgressReport() {
    finish();
}

void ProgressReport::report() {
    tell(false);
}

void ProgressReport::finish() {
    tell(true);
}

void ProgressReport::tell(bool finished) {
    if (!options_.progress) return;
    const std::lock_guard lock(mutex_);
    if (finished_) return;
    finished_ = finished;
    options_.progress({rays_, expected_, finished});
}

}  // namespace helioray::run
