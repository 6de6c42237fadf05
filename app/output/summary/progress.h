// SPDX-License-Identifier: MIT
// Draws a progress bar on the terminal while a counter increases.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <string>
#include <thread>

namespace helioray {

/// Returns a line of at most `width` columns, without a line end: bar, percentage, rays, rate in
/// Mrays/s, remaining time. Without a known total (0): rays, rate and elapsed time.
std::string progress_line(std::int64_t done,
                          std::int64_t total,
                          double elapsed_seconds,
                          std::size_t width);

/// Draws progress_line() on a terminal from a separate thread, a few times per second. The
/// destructor stops the thread and ends the line. Does nothing if the descriptor is not a terminal.
/// The counter and `total` are in rays; the counter outlives the bar.
class ProgressBar {
  public:
    /// Condition for drawing the bar.
    enum class Show {
        on_terminal,  ///< only if the descriptor is a terminal
        never,        ///< for quiet runs
        always,       ///< even into a pipe or file
    };

    /// Starts to draw. `total` is 0 if unknown. `descriptor` belongs to an open file; 2 is stderr.
    ProgressBar(const std::atomic<std::int64_t>& done,
                std::int64_t total,
                Show show = Show::on_terminal,
                int descriptor = 2);
    ProgressBar(const ProgressBar&) = delete;
    ProgressBar& operator=(const ProgressBar&) = delete;
    ~ProgressBar();

    /// Draws the last state and ends the line. Later calls do nothing.
    void finish();

  private:
    void loop();
    void draw();

    const std::atomic<std::int64_t>& done_;
    std::int64_t total_;
    int descriptor_;
    std::chrono::steady_clock::time_point start_;
    bool stopping_ = false;  // guarded by mutex_
    std::mutex mutex_;
    std::condition_variable wake_;
    std::thread thread_;  // not joinable if the bar is not drawn
};

}  // namespace helioray
